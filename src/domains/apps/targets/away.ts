import { FailureError, failureOf } from '../../../kernel/index.ts'
import { raise } from '../failures.ts'

/** A cluster cannot be used at present. Waiting for it costs no attempt. */
export class ClusterAway extends FailureError {
  override readonly name = 'ClusterAway'
}

/** The codes of an API server that does not answer, or for which there are no credentials. */
const SILENT: ReadonlySet<string> = new Set([
  'ClusterUnreachable',
  'KubeUnreachable',
  'ControlPlaneUnreachable',
  'KubeUnauthorized',
])

/**
 * One code for all of it, so that every part of the platform knows an app that waits for its cluster: the database counts them
 * by it when the cluster is to be deleted.
 */
export function awayOf(clusterId: string, error: unknown): ClusterAway {
  if (error instanceof ClusterAway) return error
  const { code, message } = failureOf(error)
  // A decision was made of the failure alone.
  if (code === 'ClusterUnreachable' && message.startsWith(`cluster ${clusterId}: `))
    return new ClusterAway(failureOf(error), { cause: error })
  return new ClusterAway(raise.ClusterUnreachable(`cluster ${clusterId}: ${message} (${code})`).failure, {
    cause: error,
  })
}

/** The same, to be asked about again after this time. */
export const waiting = (away: ClusterAway, retryAfterMs: number): ClusterAway =>
  new ClusterAway(away.failure, { cause: away, retryAfterMs })

export const isSilence = (error: unknown): boolean => SILENT.has(failureOf(error).code)
