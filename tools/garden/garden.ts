import { join } from 'node:path'
import { Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import type { Shoot } from '../../src/domains/clusters/gardener/shoot.ts'
import { gardenlet, type Gardenlet } from '../../src/domains/clusters/gardener/stand-in/gardenlet.ts'
import type { Pace } from '../../src/domains/clusters/gardener/stand-in/life.ts'
import { createEmitter, startAll, systemClock } from '../../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, makeClient, type WatchEvents } from '../../src/kube/index.ts'
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
import { scheduled } from './scheduler.ts'
import { keptClientAuthority, publishAccess, withdrawAccess, type ShootEndpoint } from './shoot-access.ts'

export interface GardenOptions extends Pick<ControlPlaneOptions, 'dir' | 'onProgress' | 'signal'> {
  /** How fast Shoots live. @default some twelve seconds until a Shoot is there */
  readonly pace?: Partial<Pace>
  /** The API server behind a Shoot. @default the garden's own, which refuses the holders of admin kubeconfigs */
  readonly endpointOf?: (shoot: Shoot) => ShootEndpoint | Promise<ShootEndpoint>
  /** A write of the gardenlet stand-in that failed and is repeated. */
  readonly onError?: (error: unknown) => void
}

/** A garden: a control plane of its own in which Projects and Shoots are served. */
export interface Garden extends Pick<ControlPlane, 'dir' | 'kubeconfig' | 'server' | 'pids'> {
  readonly gardenlet: Pick<Gardenlet, 'fail' | 'degrade' | 'heal'>
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
  const { dir, onProgress, signal, pace, onError } = options
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
  const endpointOf = options.endpointOf ?? (() => ({ server, ca: config.tls.ca ?? '' }))
  const client = makeClient(transport, { fieldManager: 'gardenlet' })
  const lets = gardenlet({
    client,
    clock: systemClock,
    emitter: createEmitter<WatchEvents>(),
    prepare: (shoot) => scheduled(client, shoot),
    async publish(shoot) {
      const endpoint = await endpointOf(shoot)
      await publishAccess(client, shoot, endpoint.ca, signer)
      return { advertisedAddresses: [{ name: 'external', url: endpoint.server }] }
    },
    withdraw: (shoot) => withdrawAccess(client, shoot),
    ...(pace && { pace }),
    ...(onError && { onError }),
  })
  let stopServices = async (): Promise<void> => {}
  const stop = async (): Promise<void> => {
    await stopServices()
    await transport.close()
    await controlPlane.stop()
  }
  try {
    stopServices = await startAll([...bindingsOfProjects(transport), lets], signal)
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
    gardenlet: lets,
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
      client.create(Shoots, exampleShoot(GARDEN, 'example'), { dryRun: true }).then(
        () => true,
        () => false,
      ),
    )
  } finally {
    await transport.close()
  }
}
