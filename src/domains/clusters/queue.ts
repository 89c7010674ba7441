import type { Key } from '../../kernel/index.ts'

/** The queue of clusters and the kinds of its keys; the view of claims uses the same names. */
export const CLUSTERS_QUEUE = 'clusters'
export const CLUSTER = 'Cluster'
/** One key for all Shoots without a row: whoever has claimed it looks for them, alone and under its fence. */
export const ORPHANS = 'Orphans'

export const clusterKey = (id: string): Key => ({ kind: CLUSTER, id })
export const ORPHANS_KEY: Key = { kind: ORPHANS, id: 'all' }
