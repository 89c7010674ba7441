import type { Queue } from '../../../kernel/index.ts'
import { Batch } from '../../../store/index.ts'
import type { DeploymentRows } from '../rows.ts'

export interface LabelWakesDeps {
  /** Null: the platform's own control plane. */
  readonly clusterId: string | null
  readonly queue: Pick<Queue, 'wake'>
  readonly rows: Pick<DeploymentRows, 'findIn'>
}

/** Wakes under way at once. The drift scan finds the deployments of wakes beyond it. */
const MOST_WAITING = 10_000

/**
 * Wakes deployments by ids that come from labels. The administrators of a cluster set labels as they like, so only living
 * deployments of this cluster are woken, each for its owner. One query at a time checks all ids that have come meanwhile.
 */
export function labelWakes({ clusterId, queue, rows }: LabelWakesDeps): Pick<Queue, 'wake'> {
  const ownerOf = async (ids: readonly string[]): Promise<readonly (string | undefined)[]> => {
    const found = await rows.findIn(clusterId, [...new Set(ids)])
    const owners = new Map(found.map(({ id, userId, isDeleted }) => [id, isDeleted ? undefined : userId]))
    return ids.map((id) => owners.get(id))
  }
  const owners = new Batch(ownerOf, { lanes: 1 })
  let waiting = 0
  return {
    async wake(key, wake) {
      if (waiting >= MOST_WAITING) return
      waiting++
      try {
        const tenant = await owners.add(key.id)
        if (tenant !== undefined) await queue.wake(key, { ...wake, tenant })
      } finally {
        waiting--
      }
    },
  }
}
