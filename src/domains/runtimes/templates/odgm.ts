import type { Deployment, Draft, Service } from '../../../kube/index.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { odgmName, odgmServiceName } from '../names.ts'
import type { RenderedChild, Router } from '../types.ts'
import { hasOdgm, ODGM_PORT } from './addons.ts'
import { POD_DEFAULTS, securityOf } from './container.ts'
import { envOf, type Env } from './env.ts'
import { labelsOf, metadataOf, selectorOf } from './metadata.ts'
import { collectionsOf } from './odgm-collections.ts'
import { telemetryEnv } from './telemetry.ts'
import type { RenderedFunction, RenderInput } from './template.ts'

const ZENOH_PORT = 17_447

/** The data grid of a class, when it has one: where its objects live and its functions are routed from. */
export function odgmChildren(input: RenderInput, functions: readonly RenderedFunction[]): RenderedChild[] {
  return hasOdgm(input.runtime.spec) ? [odgmDeployment(input, functions), odgmService(input.runtime)] : []
}

function odgmDeployment(input: RenderInput, functions: readonly RenderedFunction[]): RenderedChild {
  const { runtime, settings } = input
  const name = odgmName(runtime.metadata.name)
  const object: Draft<Deployment> = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(runtime, { name, component: 'odgm' }),
    spec: {
      replicas: 1,
      revisionHistoryLimit: 3,
      selector: { matchLabels: selectorOf(runtime, 'odgm') },
      // One member of the grid has one identity: two pods with the same at once would fight over its shards.
      strategy: { type: 'Recreate' },
      template: {
        metadata: { labels: labelsOf(runtime, 'odgm') },
        spec: {
          ...POD_DEFAULTS,
          containers: [
            {
              name: 'odgm',
              image: settings.odgm.image,
              imagePullPolicy: settings.odgm.pullPolicy,
              env: envOf(telemetryEnv(runtime, settings), odgmEnv(input, functions)),
              ports: [
                { name: 'grpc', containerPort: ODGM_PORT, protocol: 'TCP' },
                { name: 'zenoh', containerPort: ZENOH_PORT, protocol: 'TCP' },
              ],
              securityContext: securityOf([ODGM_PORT, ZENOH_PORT]),
              terminationMessagePolicy: 'FallbackToLogsOnError',
            },
          ],
        },
      },
    },
  }
  return { kind: 'Deployment', name, component: 'odgm', object, handed: [] }
}

function odgmService(runtime: ClassRuntime): RenderedChild {
  const name = odgmServiceName(runtime.metadata.name)
  const object: Draft<Service> = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(runtime, { name, component: 'odgm' }),
    spec: {
      selector: selectorOf(runtime, 'odgm'),
      ports: [
        { name: 'grpc', port: ODGM_PORT, targetPort: 'grpc', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
        { name: 'zenoh', port: ZENOH_PORT, targetPort: 'zenoh', protocol: 'TCP' },
      ],
    },
  }
  return { kind: 'Service', name, component: 'odgm', object, handed: [] }
}

function odgmEnv({ runtime, routers }: RenderInput, functions: readonly RenderedFunction[]): Env {
  const { odgm_config: config = {}, package_class_key: classKey } = runtime.spec
  const { name } = runtime.metadata
  const members = [...new Set(Object.values(config.env_node_ids ?? {}).flat())].toSorted((a, b) => a - b)
  return {
    ODGM_CLUSTER_ID: name,
    ODGM_COLLECTION: JSON.stringify(collectionsOf(runtime, functions)),
    ODGM_HTTP_PORT: `${ODGM_PORT}`,
    ...(config.log !== undefined && { ODGM_LOG: config.log }),
    ...(members.length > 0 && { ODGM_MEMBERS: members.join(',') }),
    ...(config.node_id !== undefined && { ODGM_NODE_ID: `${config.node_id}` }),
    OPRC_CLS_ID: classKey ?? name,
    OPRC_DEPLOYMENT_ID: name,
    OPRC_ZENOH_MODE: 'peer',
    ...(routers.length > 0 && { OPRC_ZENOH_PEERS: peersOf(routers) }),
    OPRC_ZENOH_PORT: `${ZENOH_PORT}`,
  }
}

/** Sorted: routers are found in any order, and another order would be another pod. */
const peersOf = (routers: readonly Router[]): string =>
  routers
    .map(({ service, port }) => `tcp/${service}:${port}`)
    .toSorted()
    .join(',')
