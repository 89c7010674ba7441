import { ServerRefusal, type RestClient } from '../../client.ts'
import type { Terminal } from '../../ports.ts'
import { untilSettled, type Verdict } from '../../wait.ts'
import { failuresOf, pathOf, progressText, type Cluster, type ClusterFailure } from './cluster.ts'

/**
 * Waits until Gardener has what was last saved and the cluster is ready. Ends with the failure once somebody has to act:
 * Gardener refuses what was saved, or gave up.
 */
export const untilReady = (
  client: RestClient,
  saved: Cluster,
  timeoutMs: number,
  terminal: Terminal,
): Promise<Cluster> =>
  untilSettled(() => client.get<Cluster>(pathOf(saved)), readiness(saved), terminal, { name: nameOf(saved), timeoutMs })

/** Waits until the Shoot is confirmed gone. Ends with the failure once Gardener gave up and a person has to act. */
export const untilGone = (client: RestClient, cluster: Cluster, timeoutMs: number, terminal: Terminal): Promise<void> =>
  untilSettled(() => found(client, cluster), absence, terminal, { name: nameOf(cluster), timeoutMs })

const nameOf = ({ organization, name }: Cluster): string => `${organization}/${name}`

const found = (client: RestClient, cluster: Cluster): Promise<Cluster | undefined> =>
  client.get<Cluster>(pathOf(cluster)).catch((error: unknown) => {
    if (error instanceof ServerRefusal && error.failure.code === 'NotFound') return undefined
    throw error
  })

/** Such as `shop/prod: progressing, Create 45 %: Waiting until control plane is healthy`. */
function stateText(now: Cluster): string {
  const { status, status_message: message, shoot } = now
  const operation = shoot?.operation
  const progress = progressText(now)
  const task =
    operation == null || progress === undefined
      ? message && `: ${message}`
      : `, ${operation.type} ${progress}: ${operation.description}`
  const failures = failuresOf(now).map((failure) => ` (${failure.code}: ${failure.message})`)
  return `${nameOf(now)}: ${status}${task ?? ''}${failures.join('')}`
}

const readiness =
  (saved: Cluster) =>
  (now: Cluster): Verdict<Cluster> => {
    const text = stateText(now)
    const isSynced = now.synced_generation >= saved.generation
    if (now.status === 'deleted' || (now.status === 'ready' && isSynced)) return { is: 'settled', value: now, text }
    const failure = isSynced ? givenUp(now) : refused(now, saved)
    return failure === null ? { is: 'waiting', text } : { is: 'failed', error: refusal(failure), text }
  }

/** Of what was saved: a failure from before that says nothing about it. */
const refused = ({ sync_failure: failure, sync_attempts }: Cluster, saved: Cluster): ClusterFailure | null =>
  failure?.whose_move === 'user' && sync_attempts > saved.sync_attempts ? failure : null

/** `Error` is retried by Gardener; `Failed` is not. */
const givenUp = ({ shoot, status_failure: failure }: Cluster): ClusterFailure | null =>
  shoot?.operation?.state === 'Failed' && failure?.whose_move !== 'platform' ? failure : null

const refusal = ({ message: detail, ...rest }: ClusterFailure): ServerRefusal => new ServerRefusal({ ...rest, detail })

function absence(now: Cluster | undefined): Verdict<void> {
  if (now === undefined || now.status === 'deleted') return { is: 'settled', value: undefined }
  const [failure, text] = [givenUp(now), stateText(now)]
  return failure === null ? { is: 'waiting', text } : { is: 'failed', error: refusal(failure), text }
}
