import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const ROOT = '/sys/fs/cgroup'
const CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids', 'systemd'] as const

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Version 2 has one tree for all controllers; version 1 has one per controller. */
const isUnified = (): Promise<boolean> => exists(join(ROOT, 'cgroup.controllers'))

async function trees(): Promise<string[]> {
  if (await isUnified()) return [ROOT]
  const found = await Promise.all(
    CONTROLLERS.map(async (name) => ((await exists(join(ROOT, name, 'tasks'))) ? [join(ROOT, name)] : [])),
  )
  return found.flat()
}

/** The controllers that a node needs and this machine lacks. */
export async function missingControllers(): Promise<string[]> {
  const needed = ['cpu', 'cpuset', 'memory', 'pids']
  if (await isUnified()) {
    const offered = (await readFile(join(ROOT, 'cgroup.controllers'), 'utf8')).trim().split(' ')
    return needed.filter((name) => !offered.includes(name))
  }
  const present = await trees()
  return needed.filter((name) => !present.includes(join(ROOT, name)))
}

/** A group of its own for everything the node's pods run. */
export async function createCgroup(name: string): Promise<void> {
  if (await isUnified()) {
    const offered = (await readFile(join(ROOT, 'cgroup.controllers'), 'utf8')).trim().split(' ')
    for (const controller of offered)
      await writeFile(join(ROOT, 'cgroup.subtree_control'), `+${controller}`).catch(() => {})
  }
  for (const tree of await trees()) {
    await mkdir(join(tree, name), { recursive: true })
    // A new group of version 1 may use no CPU and no memory node until they are assigned.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      if (tree.endsWith('/cpuset')) await writeFile(join(tree, name, file), await readFile(join(tree, file)))
    }
  }
}

/** Where version 2 is mounted beside version 1, the runtime makes the group there too. */
const treesToClean = async (): Promise<string[]> => [...(await trees()), join(ROOT, 'unified')]

/** Resolves when the group is gone, which takes as long as the processes in it take to die. */
export async function removeCgroup(name: string): Promise<void> {
  for (const tree of await treesToClean()) {
    for (const end = Date.now() + 10_000; Date.now() < end && (await exists(join(tree, name))); await delay(20)) {
      await removeTree(join(tree, name)).catch(() => {})
    }
    if (await exists(join(tree, name)))
      throw new Error(`failed to remove the control group ${join(tree, name)}: something still runs in it`)
  }
}

/** From the inside out; the files in a group go with it and cannot be removed. */
async function removeTree(path: string): Promise<void> {
  for (const child of await readdir(path, { withFileTypes: true })) {
    if (child.isDirectory()) await removeTree(join(path, child.name))
  }
  await rmdir(path)
}
