import { ClassRuntime } from '../src/domains/runtimes/index.ts'
import { at, Deployment, Service } from '../src/kube/index.ts'
import type { Workload } from './controller.ts'

const OWNER = 'oaas.io/owner'

/** One function, so a Deployment and a Service each. Nobody else touches the Deployments: their status is ours to set. */
export const runtimesLoad: Workload<ClassRuntime> = {
  bench: 'runtimes',
  crd: ClassRuntime,
  paused: ['kube-controller-manager', 'kube-scheduler'],
  changeNote: "a Deployment's status sent to ours seen",
  draft: (metadata) => ({
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata,
    spec: {
      package_class_key: 'bench.Class',
      selected_template: 'k8s_deployment',
      addons: [],
      functions: [
        { function_key: 'echo', provision_config: { container_image: 'example.com/echo:1', port: 8080, min_scale: 1 } },
      ],
    },
  }),
  isDone: ({ metadata, status }) =>
    status?.observed_generation === metadata.generation && status?.phase === 'progressing',
  async change(client, runtime) {
    const { namespace = '', name } = runtime.metadata
    const [child] = await client.list(Deployment, { namespace, labels: `${OWNER}=${name}` })
    if (child === undefined) throw new Error(`${name} has no Deployment`)
    const { generation = 1 } = child.metadata
    const up = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
    return async () => {
      await client.patchStatus(Deployment, at(child), { merge: { status: { observedGeneration: generation, ...up } } })
      return ({ status }) => status?.phase === 'available'
    }
  },
  async verify(client, runtimes) {
    const children = await Promise.all([
      client.list(Deployment, { labels: OWNER }),
      client.list(Service, { labels: OWNER }),
    ])
    for (const kind of children) {
      const owners = new Set(kind.map(({ metadata }) => metadata.labels?.[OWNER]))
      const lost = runtimes.find(({ metadata }) => !owners.has(metadata.name))
      if (lost !== undefined) throw new Error(`${lost.metadata.name} lacks a child`)
    }
  },
}
