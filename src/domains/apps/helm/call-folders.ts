import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/*
 * What Helm takes from files alone lies in a folder of the call, and goes with the call. A process that is killed cannot
 * clear up, and the file may hold credentials. So a folder is named after the process that made it, and the process that starts
 * next removes those whose process is gone.
 */

const PREFIX = 'caelus-helm-'
const NAME = new RegExp(`^${PREFIX}(.+)-(\\d+)-[^-]+$`)

/** Runs `work` with a folder that only we can enter, and that is gone afterwards. */
export async function inCallFolder<T>(under: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(under, `${PREFIX}${hostname()}-${process.pid}-`))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The process that judges, and what it can tell of others. */
export interface Judge {
  readonly host: string
  readonly pid: number
  readonly startedAt: number
  readonly isRunning: (pid: number) => boolean
}

/**
 * Whether the process that made a folder is gone. One of another machine or container cannot be asked for and is left
 * alone. In a container that starts anew the process before had our number: what it made is older than we are.
 */
export function isLeftOver({ name, changedAt }: { name: string; changedAt: number }, judge: Judge): boolean {
  const [, host, number] = NAME.exec(name) ?? []
  if (host !== judge.host) return false
  const pid = Number(number)
  return pid === judge.pid ? changedAt < judge.startedAt : !judge.isRunning(pid)
}

/** Removes what killed processes of our user left. What cannot be removed is no reason not to work. */
export async function removeLeftOvers(under: string): Promise<void> {
  const names = await readdir(under).catch(() => [])
  const judge = { host: hostname(), pid: process.pid, startedAt: Date.now() - process.uptime() * 1000, isRunning }
  await Promise.all(
    names.filter((name) => NAME.test(name)).map((name) => removeIfLeft(under, name, judge).catch(() => {})),
  )
}

async function removeIfLeft(under: string, name: string, judge: Judge): Promise<void> {
  const path = join(under, name)
  const found = await lstat(path)
  const isOurs = found.isDirectory() && found.uid === process.getuid?.()
  if (isOurs && isLeftOver({ name, changedAt: found.mtimeMs }, judge)) await rm(path, { recursive: true, force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Any other refusal means that there is one.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
