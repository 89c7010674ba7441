import { join } from 'node:path'
import { startAll } from '../../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, makeClient } from '../../src/kube/index.ts'
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
import { gardenlet, type Gardenlet } from './gardenlet.ts'
import { applyLandscape, GARDEN } from './landscape.ts'
import { Shoot } from './resources.ts'
import { keptClientAuthority, type ShootEndpoint } from './shoot-access.ts'
import type { Pace } from './shoot-life.ts'

export interface GardenOptions extends Pick<ControlPlaneOptions, 'dir' | 'onProgress' | 'signal'> {
  /** How fast Shoots live. @default some twenty seconds until a Shoot is there */
  readonly pace?: Partial<Pace>
  /** The API server behind a Shoot. @default the garden's own, which refuses the holders of admin kubeconfigs */
  readonly endpointOf?: (shoot: Shoot) => ShootEndpoint | Promise<ShootEndpoint>
  /** A write of the gardenlet stand-in that failed and is repeated. */
  readonly onProblem?: (message: string) => void
}

/** A garden: a control plane of its own in which Projects and Shoots are served. */
export interface Garden
  extends Pick<ControlPlane, 'dir' | 'kubeconfig' | 'server' | 'pids'>, Omit<Gardenlet, 'services'> {
  /** PEM. A control plane behind a Shoot needs it among its `clientAuthorities`. */
  readonly clientAuthority: string
  /** Ends and restarts of its processes, for tests of outages. */
  readonly controlPlane: ControlPlane
  /** Time from the call until Shoots were admitted. */
  readonly readyAfterMs: number
  /** Ends all processes and keeps the data. Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts a garden that ends with this process: a control plane without nodes, gardener-apiserver with all its admission,
 * gardener-controller-manager, the landscape of an operator, and a stand-in for gardenlet. Starting in the same directory
 * again finds the same objects.
 */
export async function startGarden(options: GardenOptions): Promise<Garden> {
  const startedAt = Date.now()
  const { dir, onProgress, signal, pace, onProblem } = options
  const binaries = await obtainBinaries(['gardener-apiserver', 'gardener-controller-manager'], onProgress, signal)
  const controlPlane = await startControlPlane({
    dir,
    nodes: 'none',
    extend: (running) => extend(running, binaries, signal),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  })
  const { kubeconfig, server } = controlPlane
  const config = await loadKubeConfig({ path: kubeconfig })
  const transport = httpTransport(config)
  const signer = await keptClientAuthority(join(dir, 'shoot-clients.json'))
  const { services, ...faults } = gardenlet({
    transport,
    signer,
    endpointOf: options.endpointOf ?? (() => ({ server, ca: config.tls.ca ?? '' })),
    ...(pace && { pace }),
    ...(onProblem && { onProblem }),
  })
  let stopServices = async (): Promise<void> => {}
  const stop = async (): Promise<void> => {
    await stopServices()
    await transport.close()
    await controlPlane.stop()
  }
  try {
    stopServices = await startAll([...bindingsOfProjects(transport), ...services], signal)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    dir,
    kubeconfig,
    server,
    get pids() {
      return controlPlane.pids
    },
    ...faults,
    clientAuthority: signer.cert,
    controlPlane,
    readyAfterMs: Date.now() - startedAt,
    stop,
  }
}

type GardenBinaries = Readonly<Record<'gardener-apiserver' | 'gardener-controller-manager', string>>

async function extend(running: Extensible, binaries: GardenBinaries, signal: AbortSignal | undefined): Promise<void> {
  const transport = httpTransport(await loadKubeConfig({ path: running.kubeconfig }))
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
