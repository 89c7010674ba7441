import { setTimeout as delay } from 'node:timers/promises'
import { launch, ownIdentity } from '../process/index.ts'
import type { Child } from '../process/index.ts'
import type { OnProgress } from '../progress.ts'
import { stopSignalOf } from './components.ts'
import type { ComponentName } from './components.ts'
import type { Layout } from './layout.ts'
import { endRecorded, writeState } from './state.ts'
import type { ControlPlaneState, NodeKind } from './state.ts'

const READY_WITHIN_MS = 90_000
const REPORT_EVERY_MS = 1_000

/** The processes of one control plane. Each start is recorded in the state file before the next step. */
export class Processes {
  private readonly at: Layout
  private readonly nodes: NodeKind
  private readonly onProgress: OnProgress
  private readonly signal: AbortSignal | undefined
  private readonly children = new Map<ComponentName, Child>()
  private readonly startedAt = Date.now()
  private detached = false
  private step = ''
  port = 0

  /** `signal` ends the waiting for a component. */
  constructor(at: Layout, nodes: NodeKind, onProgress: OnProgress = () => {}, signal?: AbortSignal) {
    this.at = at
    this.nodes = nodes
    this.onProgress = onProgress
    this.signal = signal
  }

  async start(
    name: ComponentName,
    what: {
      readonly command: string
      readonly args: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    },
  ): Promise<number> {
    this.step = `starting ${name}`
    this.report()
    const { dir } = this.at
    const child = await launch({
      name,
      cwd: dir,
      logFile: this.at.logOf(name),
      stopSignal: stopSignalOf(name),
      ...what,
    })
    this.children.set(name, child)
    await writeState(this.at, this.state())
    return child.identity.pid
  }

  isRunning(name: ComponentName): boolean {
    const child = this.children.get(name)
    return child !== undefined && child.ended() === undefined
  }

  pids(): Partial<Record<ComponentName, number>> {
    return Object.fromEntries([...this.children].map(([name, child]) => [name, child.identity.pid]))
  }

  /** Waits for `holds`. Fails as soon as a component dies, with the end of its log. */
  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const reporting = setInterval(() => this.report(what), REPORT_EVERY_MS)
    try {
      await this.untilReported(what, holds)
    } finally {
      clearInterval(reporting)
    }
  }

  private async untilReported(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; await delay(25)) {
      this.signal?.throwIfAborted()
      if (await holds()) return
      const dead = [...this.children.values()].find((child) => child.ended() !== undefined)
      if (dead !== undefined) throw await dead.obituary()
    }
    const cause = await [...this.children.values()].at(-1)?.obituary()
    throw new Error(`gave up waiting until ${what} after ${READY_WITHIN_MS / 1000} s`, { cause })
  }

  private report(waitsUntil?: string): void {
    const detail = waitsUntil === undefined ? {} : { detail: `waiting until ${waitsUntil}` }
    this.onProgress({ what: this.step, elapsedMs: Date.now() - this.startedAt, ...detail })
  }

  async kill(name: ComponentName): Promise<void> {
    await this.children.get(name)?.kill()
  }

  /** Ends all processes in order and keeps the data. */
  async end(): Promise<void> {
    await endRecorded(this.at, this.state())
    // The next start uses the same ports, which are free once no thread is left.
    await Promise.all([...this.children.values()].map((child) => child.stop()))
  }

  /** Kills everything after a failed start. */
  async abandon(): Promise<void> {
    await Promise.all([...this.children.values()].map((child) => child.kill()))
    await this.end()
  }

  async detach(): Promise<void> {
    this.detached = true
    await writeState(this.at, this.state())
    for (const child of this.children.values()) child.release()
  }

  private state(): ControlPlaneState {
    return {
      port: this.port,
      nodes: this.nodes,
      processes: Object.fromEntries([...this.children].map(([name, child]) => [name, child.identity])),
      ...(this.detached ? {} : { owner: ownIdentity() }),
    }
  }
}
