import { startAll } from '../../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, makeClient, type HttpTransport } from '../../src/kube/index.ts'
import { obtainBinaries } from '../binaries/index.ts'
import {
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
  type Extensible,
} from '../control-plane/index.ts'
import { bindingsOfProjects } from './bindings.ts'
import { bindCredentials } from './credentials.ts'
import { exampleShoot } from './example-shoot.ts'
import { startApiServer, startControllerManager } from './gardener.ts'
import { applyLandscape, GARDEN } from './landscape.ts'
import { Shoot } from './resources.ts'

export type GardenOptions = Pick<ControlPlaneOptions, 'dir' | 'onProgress' | 'signal'>

/** A garden: a control plane of its own in which Projects and Shoots are served. */
export interface Garden extends Pick<ControlPlane, 'dir' | 'kubeconfig' | 'server' | 'pids'> {
  /** Ends and restarts of its processes, for tests of outages. */
  readonly controlPlane: ControlPlane
  /** Time from the call until Shoots were admitted. */
  readonly readyAfterMs: number
  /** Ends all processes and keeps the data. Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts a garden that ends with this process: a control plane without nodes, gardener-apiserver with all its admission,
 * gardener-controller-manager, and the landscape of an operator. Starting in the same directory again finds the same
 * objects.
 */
export async function startGarden(options: GardenOptions): Promise<Garden> {
  const startedAt = Date.now()
  const { onProgress, signal } = options
  const binaries = await obtainBinaries(['gardener-apiserver', 'gardener-controller-manager'], onProgress, signal)
  const controlPlane = await startControlPlane({
    ...options,
    nodes: 'none',
    extend: (running) => extend(running, binaries, signal),
  })
  const transport = await transportOf(controlPlane.kubeconfig)
  const stop = async (): Promise<void> => {
    await stopServices()
    await transport.close()
    await controlPlane.stop()
  }
  let stopServices = async (): Promise<void> => {}
  try {
    stopServices = await startAll(bindingsOfProjects(transport), signal)
  } catch (error) {
    await stop()
    throw error
  }
  const { dir, kubeconfig, server } = controlPlane
  return {
    dir,
    kubeconfig,
    server,
    get pids() {
      return controlPlane.pids
    },
    controlPlane,
    readyAfterMs: Date.now() - startedAt,
    stop,
  }
}

const transportOf = async (kubeconfig: string): Promise<HttpTransport> =>
  httpTransport(await loadKubeConfig({ path: kubeconfig }))

type GardenBinaries = Readonly<Record<'gardener-apiserver' | 'gardener-controller-manager', string>>

async function extend(running: Extensible, binaries: GardenBinaries, signal: AbortSignal | undefined): Promise<void> {
  const transport = await transportOf(running.kubeconfig)
  try {
    const client = makeClient(transport, { fieldManager: 'garden-operator' })
    await startApiServer(running, binaries['gardener-apiserver'], { client, transport })
    await applyLandscape(client, signal)
    await bindCredentials(client, GARDEN)
    await startControllerManager(running, binaries['gardener-controller-manager'])
    // The admission learns of the landscape a moment after it was written.
    await running.processes.until('Shoots are admitted', () =>
      client.create(Shoot, exampleShoot(GARDEN, 'example'), { dryRun: true }).then(
        () => true,
        () => false,
      ),
    )
  } finally {
    await transport.close()
  }
}
