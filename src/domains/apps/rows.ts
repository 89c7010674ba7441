import { grantsFor, type Grant, type GrantedObject } from './grants/grant.ts'
import type { RowPatch } from './record.ts'
import type { Deployment, Owner, Template } from './types.ts'

/** Everything that a reconcile needs from the database, read together. */
export interface LoadedDeployment {
  readonly deployment: Deployment
  readonly owner: Owner
  /** Also when it is soft-deleted: that is for `decide` to judge. */
  readonly template: Template
  /** Of the template that was applied before, where it is another. @default none */
  readonly appliedGrants?: readonly Grant[]
}

/** What a release may have outside of its namespace, also while it is on its way from one template to another. */
export const grantedTo = ({ deployment, template, appliedGrants = [] }: LoadedDeployment): readonly GrantedObject[] =>
  grantsFor([...(template.grants ?? []), ...appliedGrants], deployment.releaseName)

/** A deployment that was found by an id from a control plane. */
export interface FoundDeployment {
  readonly id: string
  readonly userId: string
  readonly namespaceName: string
  /** Nothing of it should be left. */
  readonly isDeleted: boolean
}

/** What the worker may do with rows. Every write carries the fence and is refused once the lease has passed on. */
export interface DeploymentRows {
  load(id: string): Promise<LoadedDeployment | undefined>
  /** False: the lease behind `fence` has passed to another worker, and nothing was written. */
  write(id: string, fence: number, patch: RowPatch): Promise<boolean>
  /** Those of which something may be left, by id: for the drift scan, which also revives deletions that were given up. */
  living(
    after: string | undefined,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly userId: string; readonly namespaceName: string }[]>
  /**
   * Those of the deployments that are in this cluster (null: on the platform's own control plane), in any order, deleted ones
   * included. The ids may be any text.
   */
  findIn(clusterId: string | null, ids: readonly string[]): Promise<readonly FoundDeployment[]>
}
