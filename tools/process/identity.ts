import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Identifies a process even after its pid was reused. */
export interface ProcessIdentity {
  readonly pid: number
  /** Opaque: two processes with the same pid differ in it. */
  readonly startedAt: string
}

/** `undefined`: there is no such process, or it is only waiting to be reaped. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

export const isAlive = (identity: ProcessIdentity): boolean => identify(identity.pid)?.startedAt === identity.startedAt

export function ownIdentity(): ProcessIdentity {
  const own = identify(process.pid)
  if (own === undefined) throw new Error(`failed to read the start time of process ${process.pid}`)
  return own
}

export interface EndOptions {
  /** The signal that asks it to end. @default SIGTERM */
  readonly signal?: NodeJS.Signals
  /** How long to wait before SIGKILL. @default 5_000 */
  readonly graceMs?: number
  /** Whether to end the whole process group that it leads. @default false */
  readonly group?: boolean
}

/** How long a busy machine may take to carry out SIGKILL. */
const SURVIVED_AFTER_MS = 30_000

/** Resolves when the process, or its group, is gone. Does nothing if it has ended or its pid was reused. */
export async function endProcess(target: ProcessIdentity, options: EndOptions = {}): Promise<void> {
  const { signal = 'SIGTERM', graceMs = 5_000, group = false } = options
  if (!isAlive(target)) return
  const id = group ? -target.pid : target.pid
  send(id, signal)
  const went = await within(graceMs, () => !isAlive(target))
  // A group leader that has ended may have left other processes of its group.
  if (!went || group) send(id, 'SIGKILL')
  const isGone = (): boolean => !isAlive(target) && !(group && hasMembers(target.pid))
  if (!(await within(SURVIVED_AFTER_MS, isGone)))
    throw new Error(`failed to end process ${target.pid}: it survived SIGKILL`)
}

function send(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function within(ms: number, holds: () => boolean): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await delay(20)) {
    if (holds()) return true
  }
  return holds()
}

/** Zombies do not count: the process that inherited them may never reap them. */
function hasMembers(group: number): boolean {
  const lines = process.platform === 'linux' ? groupsFromProc() : groupsFromPs()
  return lines.some(([state, of]) => of === String(group) && !/^[ZX]/.test(state))
}

type StateAndGroup = readonly [state: string, group: string]

const groupsFromProc = (): readonly StateAndGroup[] =>
  readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined
    return stat === undefined ? [] : [[stat[0] ?? '', stat[2] ?? ''] as const]
  })

const groupsFromPs = (): readonly StateAndGroup[] =>
  ps('-A', '-o', 'stat=,pgid=')
    .split('\n')
    .map((line) => {
      const [state = '', group = ''] = line.trim().split(/\s+/)
      return [state, group]
    })

/** Clock ticks since boot; the boot id keeps a pid recorded before a reboot from matching one after it. */
function startFromProc(pid: number): string | undefined {
  const stat = statOf(pid)
  return stat === undefined || stat[0] === 'Z' || stat[0] === 'X' ? undefined : `${bootId()}-${stat[19]}`
}

/** Fields of /proc/<pid>/stat, beginning with the state: state, parent, group, … */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

let boot: string | undefined
const bootId = (): string => (boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8))

function startFromPs(pid: number): string | undefined {
  try {
    const line = ps('-o', 'stat=,lstart=', '-p', String(pid)).trim()
    const [state = '', ...started] = line.split(/\s+/)
    return line === '' || state.startsWith('Z') ? undefined : started.join(' ')
  } catch {
    return undefined
  }
}

const ps = (...args: readonly string[]): string =>
  execFileSync('ps', args, {
    encoding: 'utf8',
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
