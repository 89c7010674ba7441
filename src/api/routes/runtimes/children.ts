import type { SeenChild, RuntimeDetails } from '../../../domains/runtimes/usecases/index.ts'
import { COMPONENT_LABEL, FUNCTION_LABEL } from '../../../domains/runtimes/index.ts'
import type { CoreV1, Deployment, Pod } from '../../../kube/index.ts'
import type { RuntimeChildView, RuntimeContainerView, RuntimePodView } from '../../contract/index.ts'

/** What a runtime is made of, each workload with its pods. */
export const childViews = ({ children, pods }: RuntimeDetails): RuntimeChildView[] =>
  children.map((child) => {
    const { kind, name, component, functionKey, seen, readiness } = child
    return {
      id: `${kind}/${name}`,
      kind,
      name,
      component,
      function_key: functionKey ?? null,
      health: healthOf(child),
      reason: readiness?.reason ?? null,
      message: readiness?.message ?? (seen?.deleting ? 'is being deleted' : 'is no longer wanted'),
      replicas: kind === 'Deployment' && seen !== undefined ? replicasOf(seen.object as Deployment) : null,
      created_at: seen?.object.metadata.creationTimestamp ?? null,
      pods: isWorkload(child) ? pods.filter(isOf(child)).map(podView) : [],
    }
  })

const isWorkload = ({ kind }: SeenChild): boolean => kind === 'Deployment' || kind === 'KnativeService'

/** By the labels that workload and pods have in common. */
const isOf =
  ({ seen }: SeenChild) =>
  ({ metadata: { labels = {} } }: Pod): boolean => {
    const own = seen?.object.metadata.labels ?? {}
    return [COMPONENT_LABEL, FUNCTION_LABEL].every((label) => labels[label] === own[label])
  }

/** Reasons of containers that do not go away by waiting. */
const FAILING = /BackOff|^Err|Error$|^Invalid|CrashLoop|^Create.*Error/

function healthOf({ seen, readiness }: SeenChild): RuntimeChildView['health'] {
  if (seen === undefined) return 'missing'
  if (seen.deleting) return 'deleting'
  if (readiness === undefined || readiness.ready) return 'ready'
  return FAILING.test(readiness.reason) ? 'failing' : 'progressing'
}

const replicasOf = ({ spec, status = {} }: Deployment): RuntimeChildView['replicas'] => ({
  desired: spec.replicas ?? 1,
  ready: status.readyReplicas ?? 0,
  updated: status.updatedReplicas ?? 0,
})

function podView({ metadata, spec, status = {} }: Pod): RuntimePodView {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(containerView)
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled')
  const trouble = scheduled?.status === 'False' ? scheduled : ready?.status === 'True' ? undefined : ready
  const stuck = containers.find(({ state }) => state !== 'running' && state !== 'terminated')
  return {
    name: metadata.name,
    phase: status.phase ?? 'Unknown',
    node: spec?.nodeName ?? null,
    ready: ready?.status === 'True',
    restarts: containers.reduce((sum, { restarts }) => sum + restarts, 0),
    reason: stuck?.state ?? status.reason ?? trouble?.reason ?? null,
    message: stuck?.message ?? status.message ?? trouble?.message ?? null,
    created_at: metadata.creationTimestamp ?? new Date(0).toISOString(),
    deleting_since: metadata.deletionTimestamp ?? null,
    containers,
  }
}

function containerView({ name, ready, restartCount, state, lastState }: CoreV1.ContainerStatus): RuntimeContainerView {
  const { waiting, running, terminated } = state ?? {}
  const ended = lastState?.terminated ?? terminated
  return {
    name,
    ready,
    restarts: restartCount,
    state: waiting?.reason ?? (running ? 'running' : terminated ? 'terminated' : 'waiting'),
    message: waiting?.message ?? terminated?.message ?? null,
    started_at: running?.startedAt ?? null,
    last_exit:
      ended === undefined
        ? null
        : {
            reason: ended.reason ?? '',
            exit_code: ended.exitCode,
            message: (ended.message ?? '').trim(),
            at: ended.finishedAt ?? null,
          },
  }
}
