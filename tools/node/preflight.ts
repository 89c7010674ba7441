import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { isExecutable } from '../binaries/index.ts'
import { missingControllers } from './cgroup.ts'

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly because: string }

const TOOLS = ['unshare', 'nsenter', 'mount', 'ip', 'hostname', 'apt-get', 'dpkg-deb'] as const

/** Whether pods can run on this machine with their state below `dir`; if not, what prevents it. */
export async function canRunNode(dir: string): Promise<Verdict> {
  const because = await obstacle(dir)
  return because === undefined ? { ok: true } : { ok: false, because }
}

async function obstacle(dir: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return `a real node needs Linux, this is ${process.platform}`
  if (process.getuid?.() !== 0) return 'a real node needs root, to make namespaces and control groups'
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  for (const tool of TOOLS) {
    const found = await Promise.all(folders.map((folder) => isExecutable(join(folder, tool))))
    if (!found.includes(true)) return `the program ${tool} is missing`
  }
  const controllers = await missingControllers()
  if (controllers.length > 0) return `the control groups of this machine lack ${controllers.join(', ')}`
  await mkdir(dir, { recursive: true })
  const real = await realpath(dir)
  const hidden = ['/var', '/etc', '/run'].find((path) => real.startsWith(`${path}/`))
  if (hidden !== undefined)
    return `${dir} is below ${hidden}, of which the node has a copy of its own; use another directory`
  return await namespaceObstacle(real)
}

/** Tries what the node needs: an overlay mount on this file system, a bridge and a veth pair. */
async function namespaceObstacle(dir: string): Promise<string | undefined> {
  const probe = await mkdtemp(join(dir, 'probe-'))
  const attempt = `mkdir l u w m && mount -t overlay o -o lowerdir=$PWD/l,upperdir=$PWD/u,workdir=$PWD/w m && ip link add v0 type veth peer name v1 && ip link add b0 type bridge`
  try {
    await promisify(execFile)('unshare', ['--mount', '--net', '--pid', '--fork', 'sh', '-c', attempt], { cwd: probe })
    return undefined
  } catch (error) {
    return `namespaces, overlay mounts or bridges cannot be made: ${String((error as { stderr?: string }).stderr ?? error).trim()}`
  } finally {
    await rm(probe, { recursive: true, force: true })
  }
}
