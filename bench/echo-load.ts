import { Echo } from '../examples/echo/index.ts'
import { at, ConfigMap } from '../src/kube/index.ts'
import type { Workload } from './controller.ts'

const LABEL = 'bench.example/echo'

const isDone = ({ metadata, status }: Echo): boolean =>
  status?.observedGeneration === metadata.generation &&
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')

/** One ConfigMap and one status for each object: the least that a controller does. */
export const echoLoad: Workload<Echo> = {
  bench: 'controller',
  crd: Echo,
  paused: [],
  changeNote: 'PATCH sent to status seen',
  draft: (metadata, i) => ({ apiVersion: 'bench.example/v1', kind: 'Echo', metadata, spec: { message: `hello ${i}` } }),
  isDone,
  change: async (client, echo, i) => async () => {
    const sent = await client.patch(Echo, at(echo), { merge: { spec: { message: `update ${i}` } } })
    return (seen) => isDone(seen) && (seen.status?.observedGeneration ?? 0) >= (sent.metadata.generation ?? 0)
  },
  async verify(client, echoes) {
    const children = await client.list(ConfigMap, { labels: LABEL })
    const said = new Map(children.map(({ metadata, data }) => [metadata.name, data?.['message']]))
    for (const { metadata, spec } of echoes) {
      if (said.get(metadata.name) !== spec.message) {
        throw new Error(`ConfigMap ${metadata.name} says ${said.get(metadata.name)}, its Echo ${spec.message}`)
      }
    }
  },
}
