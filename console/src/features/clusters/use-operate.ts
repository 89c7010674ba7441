import type { UseMutationResult } from '@tanstack/react-query'
import type { ClusterOperate, ClusterView } from '../../lib/api/contract.ts'
import { api } from './paths.ts'
import type { ClusterRef } from './paths.ts'
import { useWrite } from './use-write.ts'

/** Asks Gardener to do something once. */
export const useOperate = (ref: ClusterRef): UseMutationResult<ClusterView, unknown, ClusterOperate['operation']> =>
  useWrite((client, operation, idempotencyKey) =>
    client.post(`${api.cluster(ref)}:operate`, { operation } satisfies ClusterOperate, { idempotencyKey }),
  )

/** Asks the worker to compare the cluster with its Shoot now. */
export const useSync = (ref: ClusterRef): UseMutationResult<ClusterView, unknown, void> =>
  useWrite((client, _, idempotencyKey) => client.post(`${api.cluster(ref)}:sync`, {}, { idempotencyKey }))
