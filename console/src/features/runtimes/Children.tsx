import { ObjectTree } from '../../components/detail/ObjectTree.tsx'
import type { ObjectNode } from '../../components/detail/ObjectTree.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import type { RuntimeChildView, RuntimeContainerView, RuntimePodView, RuntimeView } from '../../lib/api/contract.ts'
import { spokenObjectHealth } from '../../lib/tone.ts'
import { exitText, replicasText, restartsText, spokenPod, worstFirst } from './children.ts'

/** What it is made of: each child, its pods, and their containers. */
export function Children({ runtime: { children } }: { readonly runtime: Pick<RuntimeView, 'children'> }) {
  return (
    <Panel title="What it is made of" flush>
      <ObjectTree nodes={worstFirst(children).map(childNode)} label="What it is made of" />
    </Panel>
  )
}

const childNode = (child: RuntimeChildView): ObjectNode => ({
  id: child.id,
  kind: child.kind,
  name: child.name,
  ...spokenObjectHealth(child.health),
  message: replicasText(child),
  ...(child.created_at !== null && { since: child.created_at }),
  children: child.pods.map(podNode),
})

const podNode = (pod: RuntimePodView): ObjectNode => ({
  id: `Pod/${pod.name}`,
  kind: 'Pod',
  name: pod.name,
  ...spokenPod(pod),
  message: [pod.node === null ? 'on no node yet' : `on ${pod.node}`, restartsText(pod.restarts), pod.message ?? '']
    .filter(Boolean)
    .join('; '),
  since: pod.created_at,
  children: pod.containers.map((container) => containerNode(pod, container)),
})

const containerNode = (pod: RuntimePodView, container: RuntimeContainerView): ObjectNode => ({
  id: `Container/${pod.name}/${container.name}`,
  kind: 'container',
  name: container.name,
  ...spokenPod({
    ready: container.ready,
    phase: container.state,
    reason: container.state,
    deleting_since: pod.deleting_since,
  }),
  message: [
    restartsText(container.restarts),
    container.message ?? '',
    container.last_exit === null ? '' : exitText(container.last_exit),
  ]
    .filter(Boolean)
    .join('; '),
  ...(container.started_at !== null && { since: container.started_at }),
  children: [],
})
