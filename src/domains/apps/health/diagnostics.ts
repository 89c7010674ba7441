import type { Masker } from '../../../kernel/index.ts'
import { Event, Pod, type Client, type CoreV1 } from '../../../kube/index.ts'
import type { Diagnostics } from '../observed.ts'

/** All output is bounded: a namespace may hold thousands of pods that all fail. */
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

/** As the controllers of Kubernetes begin it: names and images in other notes may say anything. */
const OVER_QUOTA =
  /^(?:\(combined from similar events\): )?(?:Error creating|create \w+ [\w.-]+ in StatefulSet [\w.-]+ failed error): [\w.-]+ "[^"]*" is forbidden: (?:exceeded|failed) quota: /

/**
 * Why the pods of a namespace do not get ready: container states, events and last log lines, with secrets masked.
 * `undefined`: no cause is known. Events from before `since` are about something else. Call it before a rollback, which
 * removes pods and events.
 */
export async function diagnose(
  client: Client,
  { namespace, since }: { readonly namespace: string; readonly since: number },
  mask: Masker,
  signal?: AbortSignal,
): Promise<Diagnostics | undefined> {
  const [pods, events] = await Promise.all([
    client.list(Pod, { namespace }, signal),
    client.list(Event, { namespace }, signal),
  ])
  const warnings = events
    .filter((event) => event.type === 'Warning' && timeOf(event) >= since)
    .map(({ reason = '', note = '' }) => ({ reason, note }))
  const told = (code: Diagnostics['code'], message: string): Diagnostics => ({
    code,
    message: message.slice(0, LONGEST),
  })
  const quota = warnings.find(({ note }) => OVER_QUOTA.test(note))
  if (quota !== undefined) return told('QuotaExceeded', mask.excerpt(quota.note))
  const troubles = pods
    .filter(isNotReady)
    .flatMap((pod) => troublesOf(pod, mask))
    .slice(0, PODS)
  const image = troubles.find(({ reason }) => IMAGE_TROUBLE.has(reason))
  if (image !== undefined) return told('ImageNeverReady', sentence(image))
  const lines = await Promise.all(troubles.map((trouble) => withLog(client, namespace, trouble, mask)))
  if (lines.length > 0) return told('NeverHealthy', lines.join('; '))
  const [last] = warnings.filter(({ reason }) => reason !== 'Unhealthy')
  return last === undefined ? undefined : told('NeverHealthy', `${last.reason}: ${mask.excerpt(last.note)}`)
}

/** When it was last seen, in full seconds. One without a time counts as new. */
function timeOf({ series, eventTime, deprecatedLastTimestamp }: Event): number {
  const at = series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime
  return at === undefined ? Infinity : Date.parse(at) + 1_000
}

interface Trouble {
  readonly pod: string
  readonly container?: string
  readonly reason: string
  readonly message: string
  /** The container ran and ended: its log says more than its state. */
  readonly hasEnded: boolean
}

const isNotReady = ({ status }: CoreV1.Pod): boolean =>
  status?.phase !== 'Succeeded' &&
  !(status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True')

/** Messages are masked here, while they are whole: the kubelet may have cut them at either end. */
function troublesOf({ metadata, status }: CoreV1.Pod, mask: Masker): Trouble[] {
  const pod = metadata.name
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const stuck = containers.flatMap(({ name, state, lastState, restartCount }): Trouble[] => {
    const ended = state?.terminated ?? lastState?.terminated
    const exit =
      ended === undefined || ended.exitCode === 0 ? '' : ` (exit ${ended.exitCode}, ${restartCount} restarts)`
    const { reason = '', message = '' } = state?.waiting ?? state?.terminated ?? {}
    if (reason === '' || reason === 'PodInitializing' || reason === 'ContainerCreating' || reason === 'Completed')
      return []
    return [{ pod, container: name, reason, message: `${mask.excerpt(message)}${exit}`, hasEnded: ended !== undefined }]
  })
  if (stuck.length > 0) return stuck
  const unscheduled = status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False')
  if (unscheduled !== undefined) {
    const { reason = 'Unschedulable', message = '' } = unscheduled
    return [{ pod, reason, message: mask.excerpt(message), hasEnded: false }]
  }
  const unready = containers.find(({ ready, state }) => !ready && state?.running !== undefined)
  return unready === undefined
    ? []
    : [{ pod, container: unready.name, reason: 'NotReady', message: 'runs and is not ready', hasEnded: false }]
}

const sentence = ({ pod, container, reason, message }: Trouble): string =>
  `${container === undefined ? '' : `container ${container} of `}pod ${pod}: ${reason}${message === '' ? '' : ` ${message}`}`

async function withLog(client: Client, namespace: string, trouble: Trouble, mask: Masker): Promise<string> {
  const { pod, container, hasEnded } = trouble
  if (!hasEnded || container === undefined) return sentence(trouble)
  const log = await client
    .podLog(
      { namespace, name: pod },
      { container, tailLines: LOG_LINES, previous: trouble.reason === 'CrashLoopBackOff' },
    )
    .catch(() => '')
  // The tail may begin inside of a secret, and splitting into lines would take one apart: masked as it came.
  const lines = mask
    .excerpt(log)
    .split('\n')
    .filter((line) => line.trim() !== '')
  if (lines.length === 0) return sentence(trouble)
  return `${sentence(trouble)}; last log lines: ${lines.map((line) => line.slice(0, LONGEST_LINE)).join(' | ')}`
}
