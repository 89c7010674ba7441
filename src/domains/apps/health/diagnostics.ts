import { Event, Pod, type Client, type CoreV1 } from '../../../kube/index.ts'
import type { JsonObject } from '../values/json.ts'
import type { Diagnostics } from '../observed.ts'

/** Everything that is told is bounded: a namespace may hold thousands of pods that all fail. */
const PODS = 3
const LOG_LINES = 5
const LONGEST_LINE = 200
const LONGEST = 800

const IMAGE_TROUBLE: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
])

/**
 * Why the pods of a namespace do not get ready: container states, events and last log lines, with the tenant's secrets
 * hidden. `undefined`: nothing tells. To be taken before anything is rolled back, which removes it all.
 */
export async function diagnose(
  client: Client,
  namespace: string,
  mask: (text: string) => string,
  signal?: AbortSignal,
): Promise<Diagnostics | undefined> {
  const [pods, events] = await Promise.all([
    client.list(Pod, { namespace }, signal),
    client.list(Event, { namespace }, signal),
  ])
  const warnings = events
    .filter(({ type }) => type === 'Warning')
    .map(({ reason = '', note = '' }) => ({ reason, note }))
  const told = (code: Diagnostics['code'], message: string, details: JsonObject = {}): Diagnostics => ({
    code,
    message: mask(message).slice(0, LONGEST),
    details,
  })
  const quota = warnings.find(({ note }) => /exceeded quota|failed quota/.test(note))
  if (quota !== undefined) return told('QuotaExceeded', quota.note)
  const troubles = pods.filter(isNotReady).flatMap(troublesOf).slice(0, PODS)
  const image = troubles.find(({ reason }) => IMAGE_TROUBLE.has(reason))
  if (image !== undefined) return told('ImageNeverReady', sentence(image))
  const lines = await Promise.all(troubles.map((trouble) => withLog(client, namespace, trouble)))
  if (lines.length > 0) return told('NeverHealthy', lines.join('; '))
  const [last] = warnings.filter(({ reason }) => reason !== 'Unhealthy')
  return last === undefined ? undefined : told('NeverHealthy', `${last.reason}: ${last.note}`)
}

interface Trouble {
  readonly pod: string
  readonly container?: string
  readonly reason: string
  readonly message: string
  /** It ran and ended: its log tells more than its state. */
  readonly hasEnded: boolean
}

const isNotReady = ({ status }: CoreV1.Pod): boolean =>
  status?.phase !== 'Succeeded' &&
  !(status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True')

function troublesOf({ metadata, status }: CoreV1.Pod): Trouble[] {
  const pod = metadata.name
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const stuck = containers.flatMap(({ name, state, lastState, restartCount }): Trouble[] => {
    const ended = state?.terminated ?? lastState?.terminated
    const exit =
      ended === undefined || ended.exitCode === 0 ? '' : ` (exit ${ended.exitCode}, ${restartCount} restarts)`
    const { reason = '', message = '' } = state?.waiting ?? state?.terminated ?? {}
    if (reason === '' || reason === 'PodInitializing' || reason === 'ContainerCreating' || reason === 'Completed')
      return []
    return [{ pod, container: name, reason, message: `${message}${exit}`, hasEnded: ended !== undefined }]
  })
  if (stuck.length > 0) return stuck
  const unscheduled = status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False')
  if (unscheduled !== undefined) {
    const { reason = 'Unschedulable', message = '' } = unscheduled
    return [{ pod, reason, message, hasEnded: false }]
  }
  const unready = containers.find(({ ready, state }) => !ready && state?.running !== undefined)
  return unready === undefined
    ? []
    : [{ pod, container: unready.name, reason: 'NotReady', message: 'runs and is not ready', hasEnded: false }]
}

const sentence = ({ pod, container, reason, message }: Trouble): string =>
  `${container === undefined ? '' : `container ${container} of `}pod ${pod}: ${reason}${message === '' ? '' : ` ${message}`}`

async function withLog(client: Client, namespace: string, trouble: Trouble): Promise<string> {
  const { pod, container, hasEnded } = trouble
  if (!hasEnded || container === undefined) return sentence(trouble)
  const log = await client
    .podLog(
      { namespace, name: pod },
      { container, tailLines: LOG_LINES, previous: trouble.reason === 'CrashLoopBackOff' },
    )
    .catch(() => '')
  const lines = log.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return sentence(trouble)
  return `${sentence(trouble)}; last log lines: ${lines.map((line) => line.slice(0, LONGEST_LINE)).join(' | ')}`
}
