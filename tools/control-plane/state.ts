import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { discardNode } from '../node/index.ts'
import { endProcess, isAlive } from '../process/index.ts'
import type { ProcessIdentity } from '../process/index.ts'
import type { ComponentName } from './components.ts'
import type { Layout } from './layout.ts'

/** What runs the pods: nothing, KWOK (simulated), or a kubelet. */
export type NodeKind = 'none' | 'kwok' | 'real'

/** The state file of a running control plane, by which a later process can find, check and end it. */
export interface ControlPlaneState {
  readonly port: number
  readonly nodes: NodeKind
  readonly processes: Readonly<Partial<Record<ComponentName, ProcessIdentity>>>
  /** The process with which it ends. Absent: it is detached. */
  readonly owner?: ProcessIdentity
}

export async function readState(at: Layout): Promise<ControlPlaneState | undefined> {
  const text = await readFile(at.state, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as ControlPlaneState)
}

export async function writeState(at: Layout, state: ControlPlaneState): Promise<void> {
  await writeFile(`${at.state}.new`, JSON.stringify(state, null, 2), { mode: 0o600 })
  await rename(`${at.state}.new`, at.state)
}

/** The processes that still run, in the order of their start. */
export const aliveOf = (state: ControlPlaneState): Array<[ComponentName, ProcessIdentity]> =>
  (Object.entries(state.processes) as Array<[ComponentName, ProcessIdentity]>).filter(([, identity]) =>
    isAlive(identity),
  )

/** Ends the recorded processes: first the clients of the API server, then the API server, then etcd. */
export async function endRecorded(at: Layout, state: ControlPlaneState): Promise<void> {
  const { etcd, 'kube-apiserver': apiServer, ...clients } = state.processes
  await Promise.all(Object.values(clients).map((identity) => endProcess(identity, { signal: 'SIGKILL' })))
  if (apiServer !== undefined) await endProcess(apiServer)
  if (etcd !== undefined) await endProcess(etcd)
  if (state.nodes === 'real') await discardNode(at.node)
  await rm(at.state, { force: true })
}
