import { CLUSTERS } from '../../config/clusters.ts'
import { invalid, type Config } from '../../config/index.ts'
import {
  openGardener,
  openMockGarden,
  type Gardener,
  type GardenKeep,
  type MockGarden,
} from '../../domains/clusters/gardener/index.ts'
import { failureOf, systemClock, type Service } from '../../kernel/index.ts'
import type { Transport } from '../../kube/index.ts'
import type { ProcessHost } from '../domain.ts'
import { connectKubernetes, outsideTransactions } from '../shared/connect.ts'
import { gardenerSettings } from './settings.ts'

export interface OpenedGardener {
  readonly gardener: Gardener
  /** Of the mock: stand-ins for the controllers of Gardener, to be started before a worker. */
  readonly services: readonly Service[]
  readonly mock?: MockGarden
  close(): Promise<void>
}

export type GardenerHost = Pick<ProcessHost, 'config' | 'env' | 'log' | 'emitter' | 'onError'>

const clientOf = ({ config, emitter }: GardenerHost, transport: Transport): Gardener =>
  openGardener({
    mode: config.of(CLUSTERS).mode,
    transport,
    settings: gardenerSettings(config.of(CLUSTERS)),
    clock: systemClock,
    random: Math.random,
    emitter,
  })

export function neededGardenKubeconfig(config: Config): string {
  const { kubeconfig } = config.of(CLUSTERS)
  if (kubeconfig !== undefined) return kubeconfig
  throw invalid(['GARDENER_KUBECONFIG is not set: GARDENER_MODE is real, which needs the kubeconfig of a garden'])
}

/** The Gardener that GARDENER_MODE says. */
export const openConfigured = (host: GardenerHost): Promise<OpenedGardener> =>
  host.config.of(CLUSTERS).mode === 'mock' ? openMock(host) : openReal(host, neededGardenKubeconfig(host.config))

export async function openReal(host: GardenerHost, kubeconfig: string): Promise<OpenedGardener> {
  const transport = await connectKubernetes({ kubeconfig, env: host.env, emitter: host.emitter }).catch(
    (error: unknown) => {
      throw failureOf(error).code === 'KubeConfigInvalid'
        ? invalid([`GARDENER_KUBECONFIG: ${failureOf(error).message}`])
        : error
    },
  )
  return { gardener: clientOf(host, transport), services: [], close: () => transport.close() }
}

export async function openMock(host: GardenerHost, keep?: GardenKeep): Promise<OpenedGardener> {
  const { config, emitter, log, onError } = host
  log.warn(
    { nextStep: 'Set GARDENER_MODE=real and GARDENER_KUBECONFIG to make clusters.' },
    'Gardener is simulated: no clusters are made',
  )
  const { namespace } = config.of(CLUSTERS)
  const mock = await openMockGarden({
    clock: systemClock,
    random: Math.random,
    emitter,
    onError: (error) => onError(error, 'Simulated Gardener failed'),
    ...(namespace !== undefined && { namespace }),
    ...(keep && { keep }),
  })
  return {
    gardener: clientOf(host, outsideTransactions(mock.transport)),
    services: mock.services,
    mock,
    close: async () => {},
  }
}
