import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpTransport, loadKubeConfig, makeClient, type Client } from '../../src/kube/index.ts'
import { obtainBinaries } from '../../tools/binaries/index.ts'
import { startControlPlane, type ControlPlane } from '../../tools/control-plane/index.ts'

/** Four objects, two replicas, and no claim for which somebody would have to lay a volume ready. */
export const CHART = join(import.meta.dirname, '../../charts/status-page')
export const CHART_VERSION = '0.1.0'

/** Where one peer is measured. */
export interface Place {
  readonly dir: string
  readonly controlPlane: ControlPlane
  readonly client: Client
  /** Path of the program. */
  readonly helm: string
}

const PODS_PER_RELEASE = 2
const PODS_PER_NODE = 400

/** Runs `work` on a control plane of its own with simulated nodes for so many releases: no peer inherits another's objects. */
export async function onControlPlane<T>(releases: number, work: (place: Place) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'caelus-bench-'))
  const nodeCount = Math.max(3, Math.ceil((releases * PODS_PER_RELEASE) / PODS_PER_NODE))
  const [{ helm }, controlPlane] = await Promise.all([
    obtainBinaries(['helm']),
    startControlPlane({ dir: join(dir, 'control-plane'), nodes: 'kwok', nodeCount }),
  ])
  const transport = httpTransport(await loadKubeConfig({ path: controlPlane.kubeconfig }))
  try {
    return await work({ dir, controlPlane, helm, client: makeClient(transport, { fieldManager: 'bench' }) })
  } finally {
    await transport.close()
    await controlPlane.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

export const domainOf = (i: number, word = 'page'): string => `${word}-${i}.example.com`
