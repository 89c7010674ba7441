import { readFile, rename, writeFile } from 'node:fs/promises'
import { isAlive } from '../process/index.ts'
import type { ProcessIdentity } from '../process/index.ts'
import type { ComponentName } from './components.ts'
import type { Layout } from './layout.ts'

/** What is written down about a running control plane, so that any later process can find, judge and end it. */
export interface ClusterState {
  readonly port: number
  readonly nodes: 'none' | 'kwok'
  readonly processes: Readonly<Partial<Record<ComponentName, ProcessIdentity>>>
  /** With whom it ends. Absent: it runs until somebody ends it. */
  readonly owner?: ProcessIdentity
}

export async function readState(at: Layout): Promise<ClusterState | undefined> {
  const text = await readFile(at.state, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as ClusterState)
}

export async function writeState(at: Layout, state: ClusterState): Promise<void> {
  await writeFile(`${at.state}.new`, JSON.stringify(state, null, 2), { mode: 0o600 })
  await rename(`${at.state}.new`, at.state)
}

export const processesOf = (state: ClusterState): Array<[ComponentName, ProcessIdentity]> =>
  Object.entries(state.processes) as Array<[ComponentName, ProcessIdentity]>

export const aliveOf = (state: ClusterState): Array<[ComponentName, ProcessIdentity]> =>
  processesOf(state).filter(([, identity]) => isAlive(identity))
