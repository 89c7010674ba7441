import { readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, lock, LockHeld } from '../process/index.ts'
import { adminApi } from './api.ts'
import { AlreadyRunning, startControlPlane } from './control-plane.ts'
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts'
import type { ComponentName } from './components.ts'
import { layout } from './layout.ts'
import { keptPki } from './pki.ts'
import { aliveOf, endRecorded, readState } from './state.ts'

export interface ControlPlaneStatus {
  readonly dir: string
  /**
   * - absent: nothing was ever started here
   * - stopped: data, but no process
   * - running: all processes live and the API server says it is ready
   * - broken: some processes live, or the API server is not ready
   */
  readonly state: 'absent' | 'stopped' | 'running' | 'broken'
  /** Path of the administrator's kubeconfig, once there is one. */
  readonly kubeconfig?: string
  readonly server?: string
  /** The process with which it ends; absent when detached. */
  readonly ownerPid?: number
  readonly components: ReadonlyArray<{ readonly name: ComponentName; readonly pid: number; readonly alive: boolean }>
}

export async function controlPlaneStatus({ dir }: { readonly dir: string }): Promise<ControlPlaneStatus> {
  const at = layout(dir)
  const state = await readState(at)
  if (state === undefined) {
    const kept = await readFile(at.pki).then(
      () => true,
      () => false,
    )
    return { dir, state: kept ? 'stopped' : 'absent', components: [] }
  }
  const alive = new Set(aliveOf(state).map(([name]) => name))
  const components = Object.entries(state.processes).map(([name, { pid }]) => ({
    name: name as ComponentName,
    pid,
    alive: alive.has(name as ComponentName),
  }))
  const base = { dir, kubeconfig: at.kubeconfig, server: `https://127.0.0.1:${state.port}`, components }
  if (alive.size === 0) return { dir, state: 'stopped', components }
  const owner = state.owner !== undefined && isAlive(state.owner) ? { ownerPid: state.owner.pid } : {}
  const whole = alive.size === components.length && (await answers(dir, state.port))
  return { ...base, ...owner, state: whole ? 'running' : 'broken' }
}

async function answers(dir: string, port: number): Promise<boolean> {
  const api = adminApi(port, await keptPki(layout(dir).pki))
  try {
    return await api.ready()
  } finally {
    await api.close()
  }
}

/** Another process may be building its binaries. */
const OTHERS_MAY_TAKE_MS = 50 * 60_000
const DETACHED_MAY_TAKE_MS = 30_000

/** The control plane that runs in `dir`, or a new one. Waits for one that another process is starting. */
async function foundOrStarted(
  options: ControlPlaneOptions,
  othersMayTakeMs: number,
): Promise<{ readonly found: ControlPlaneStatus } | { readonly started: ControlPlane }> {
  for (const startedAt = Date.now(); ; await delay(200)) {
    const found = await controlPlaneStatus(options)
    if (found.state === 'running') return { found }
    try {
      return { started: await startControlPlane(options) }
    } catch (error) {
      const elapsedMs = Date.now() - startedAt
      if (!(error instanceof AlreadyRunning)) throw error
      if (elapsedMs > (error.holder === undefined ? DETACHED_MAY_TAKE_MS : othersMayTakeMs)) throw error
      options.onProgress?.({ what: `waiting for the control plane that is starting in ${options.dir}`, elapsedMs })
    }
  }
}

/** Starts a control plane in `dir` that outlives this process, unless one runs there already. */
export async function controlPlaneUp(options: ControlPlaneOptions): Promise<ControlPlaneStatus> {
  const got = await foundOrStarted(options, OTHERS_MAY_TAKE_MS)
  if ('found' in got) return got.found
  await got.started.detach()
  return await controlPlaneStatus(options)
}

export interface RunningControlPlane {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string
  /** Ends the control plane if this call started it. */
  stop(): Promise<void>
}

/** The control plane that runs in `dir`, or one that ends with this process. */
export async function ensureControlPlane(options: ControlPlaneOptions): Promise<RunningControlPlane> {
  const got = await foundOrStarted(options, 0)
  return 'found' in got ? { kubeconfig: layout(options.dir).kubeconfig, stop: () => Promise.resolve() } : got.started
}

export interface DownOptions {
  readonly dir: string
  /** Remove the data too. @default false */
  readonly purge?: boolean
}

/**
 * Ends the control plane in `dir` and returns the components that were running.
 *
 * It ends only processes of its state file whose pid was not reused, and refuses while the owner is alive.
 */
export async function controlPlaneDown({ dir, purge = false }: DownOptions): Promise<readonly ComponentName[]> {
  const at = layout(dir)
  if ((await controlPlaneStatus({ dir })).state === 'absent') return []
  const unlock = await lock(at.lock).catch((cause: unknown) => {
    const holder = cause instanceof LockHeld ? `: it belongs to process ${cause.holder.pid}, stop that instead` : ''
    throw new Error(`failed to take down the control plane in ${dir}${holder}`, { cause })
  })
  try {
    const state = await readState(at)
    if (state === undefined) return []
    const alive = aliveOf(state).map(([name]) => name)
    await endRecorded(at, state)
    return alive
  } finally {
    await unlock()
    if (purge) await rm(dir, { recursive: true, force: true })
  }
}

/** The administrator's kubeconfig as text. */
export async function controlPlaneKubeconfig({ dir }: { readonly dir: string }): Promise<string> {
  return await readFile(layout(dir).kubeconfig, 'utf8').catch((cause: unknown) => {
    throw new Error(
      `failed to read the kubeconfig: no control plane was started in ${dir}; start one with caelus control-plane up`,
      { cause },
    )
  })
}
