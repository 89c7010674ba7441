import { useState } from 'react'
import type { ClusterView, LandscapeView, NodePoolPatch, NodePoolView } from '../../../lib/api/contract.ts'
import { draftOfPool, emptyPoolFields, newPool, poolOf } from '../order/draft.ts'
import { PoolFields, PoolNameHint } from '../order/PoolFields.tsx'
import { api } from '../paths.ts'
import { ChangeDialog } from '../preflight/ChangeDialog.tsx'

interface EditPoolProps {
  readonly cluster: ClusterView
  /** Undefined: not known. */
  readonly landscape: LandscapeView | undefined
  /** Absent: a new one. */
  readonly pool?: NodePoolView
  readonly onClose: () => void
}

/** Adds or changes a node pool. What it does to all pools is checked; only this one is saved. */
export function EditPool({ cluster, landscape, pool, onClose }: EditPoolProps) {
  const [others] = useState(() => cluster.node_pools.map(draftOfPool))
  const [draft, setDraft] = useState(() => (pool ? draftOfPool(pool) : newPool(landscape, others)))
  const index = pool ? cluster.node_pools.findIndex(({ id }) => id === pool.id) : others.length
  const isComplete = emptyPoolFields(draft).length === 0
  return (
    <ChangeDialog
      cluster={cluster}
      title={pool ? `Change node pool ${pool.name}` : 'Add node pool'}
      verb={pool ? 'Save' : 'Add'}
      place={`node_pools/${index}`}
      change={isComplete ? { node_pools: others.toSpliced(index, 1, draft).map(poolOf) } : undefined}
      save={(client, guard) => {
        const { name, ...sizes } = poolOf(draft)
        return pool
          ? client.patch(api.pool(cluster, pool.id), sizes satisfies NodePoolPatch, guard)
          : client.post(api.pools(cluster), { name, ...sizes }, guard)
      }}
      onClose={onClose}
    >
      {(problems) => (
        <>
          {pool === undefined && <PoolNameHint />}
          <PoolFields
            label={pool ? `node pool ${pool.name}` : 'new node pool'}
            pool={draft}
            machineTypes={landscape?.machine_types}
            problems={problems}
            onChange={setDraft}
            isNameFixed={pool !== undefined}
          />
        </>
      )}
    </ChangeDialog>
  )
}
