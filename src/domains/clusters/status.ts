import type { Failure } from '../../kernel/index.ts'
import type { LiveShoot } from './observed.ts'
import { failureOfErrors } from './shoot/error-codes.ts'
import type { ShootStatus } from './types.ts'

/** What there is to say about a cluster. */
export interface StatusTruth {
  readonly status: ShootStatus
  readonly message: string
  readonly failure: Failure | null
}

/** What has to be True for a cluster to be ready. */
export const READY_CONDITIONS = ['APIServerAvailable', 'ControlPlaneHealthy', 'SystemComponentsHealthy'] as const

/** Gardener has acted on the last change of the Shoot. Before that, everything it reports is about an older one. */
export const isObserved = ({ generation, observedGeneration }: LiveShoot): boolean =>
  observedGeneration !== null && observedGeneration >= generation

/** The status of a Shoot that exists. */
export function statusOf(live: LiveShoot): StatusTruth {
  const { operation, isDeleting } = live
  const working: ShootStatus = isDeleting ? 'deleting' : 'progressing'
  if (operation === null) return plain(working, 'Gardener has not begun yet')
  if (!isObserved(live)) return plain(working, 'Gardener has not taken up the last change yet')
  switch (operation.state) {
    case 'Error':
      return failed(failureOfErrors(live, 'ShootErroneous', operation.description))
    case 'Failed':
    case 'Aborted':
      return failed(failureOfErrors(live, 'ShootFailed', operation.description))
    case 'Succeeded':
      return isDeleting ? plain('deleting', 'Gardener has not begun to delete it yet') : succeeded(live)
    default:
      return plain(working, `${operation.type}: ${operation.progress} %, ${operation.description}`)
  }
}

function succeeded(live: LiveShoot): StatusTruth {
  if (live.isToHibernate !== live.isHibernated)
    return plain('progressing', live.isToHibernate ? 'it is being hibernated' : 'it is waking up')
  // Gardener does not check the conditions of a cluster that does not run.
  if (live.isHibernated) return plain('ready', 'it is hibernated')
  const reported = new Map(live.conditions.map((condition) => [condition.type, condition]))
  const broken = READY_CONDITIONS.map((type) => reported.get(type)).find((condition) => condition?.status === 'False')
  if (broken !== undefined) {
    const why = [broken.reason, broken.message].filter((text) => text !== '').join(': ')
    const description = `${broken.type} is False: ${why}`
    const { codes = [] } = broken
    return failed(failureOfErrors({ errors: [{ description, codes }] }, 'ShootDegraded', description))
  }
  const open = READY_CONDITIONS.find((type) => reported.get(type)?.status !== 'True')
  if (open === undefined) return plain('ready', 'it runs')
  return plain('progressing', `${open} is ${reported.get(open)?.status ?? 'not reported yet'}`)
}

const plain = (status: ShootStatus, message: string): StatusTruth => ({ status, message, failure: null })
const failed = (failure: Failure): StatusTruth => ({ status: 'error', message: failure.message, failure })
