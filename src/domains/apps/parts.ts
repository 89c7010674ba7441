import type { Clock, TargetLocks } from '../../kernel/index.ts'
import type { Client, Discovery } from '../../kube/index.ts'
import type { Charts, Helm, Releases, ReleaseTarget } from './helm/port.ts'
import type { AllowedManager } from './drift/allowed-owners.ts'
import { hasNamespace, viewing } from './fence.ts'
import type { NamespacePolicies } from './namespace/policies.ts'
import type { DeploymentRows } from './rows.ts'
import type { KeyRing } from './values/seal.ts'
import { grantsFor } from './grants/grant.ts'
import type { Deployment, Template } from './types.ts'

export interface AppsSettings {
  /** Opens sealed values. Absent: a deployment that has some cannot be applied. */
  readonly ring?: KeyRing
  /** The ingress class that every deployment gets. */
  readonly ingressClass: string
  /** Keeps write-only values from being guessed out of digests. Another one makes every release an outdated one. */
  readonly digestSalt: string
  /** Managers that the platform trusts with fields of ours. @default none */
  readonly allowedManagers?: readonly AllowedManager[]
  /** What the platform puts into every namespace. @default nothing */
  readonly policies?: NamespacePolicies
}

/** Everything outside of this process that reconciling an app reads from or acts on. */
export interface AppsParts {
  /** With the rights of the process: for namespaces and for what the fence is made of. What is in them is read `viewing`. */
  readonly client: Client
  readonly discovery: Discovery
  readonly rows: DeploymentRows
  readonly charts: Charts
  readonly helm: Helm
  readonly releases: Releases
  readonly locks: TargetLocks
  readonly clock: Clock
  readonly settings: AppsSettings
}

/** For reading; effects are done on behalf of the fence. */
export const releaseOf = ({ namespaceName, releaseName }: Deployment): ReleaseTarget => ({
  namespace: namespaceName,
  release: releaseName,
  as: viewing,
})

/** For rendering: templates see no more than the namespace of the release, and nothing while it does not exist. */
export async function renderTargetOf(
  { client }: Pick<AppsParts, 'client'>,
  { deployment, template }: { readonly deployment: Deployment; readonly template: Pick<Template, 'grants'> },
  signal?: AbortSignal,
): Promise<ReleaseTarget> {
  const granted = grantsFor(template.grants ?? [], deployment.releaseName)
  const { as: _as, ...unseeing } = releaseOf(deployment)
  return (await hasNamespace(client, deployment, signal))
    ? { ...releaseOf(deployment), granted }
    : { ...unseeing, granted }
}
