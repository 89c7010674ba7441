import type { Clock, Random } from '../../../kernel/index.ts'
import type { Reader, Writer } from '../../../kube/index.ts'
import type { Pool, PostgresQueue, Runner } from '../../../store/index.ts'
import type { Charts } from '../helm/port.ts'
import type { DomainRules } from '../domain-rules.ts'
import type { Trial } from '../inspection/inspect.ts'
import type { KeyRing } from '../values/seal.ts'
import type { Owner } from '../types.ts'

/** Users, as the caller of the transaction may see them. */
export interface Users {
  /** Undefined: deleted, or not to be seen. */
  find(on: Runner, id: string): Promise<Owner | undefined>
  emailsOf(on: Runner, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Clusters, as the caller of the transaction may see them; the domain of clusters implements it. */
export interface ClusterDirectory {
  /** Undefined: the user is no owner or member of its organization, it is deleted, or it is not to be seen. */
  usable(on: Runner, userId: string, clusterId: string): Promise<{ readonly name: string } | undefined>
}

/** What the use cases work with; the composition root fills it. */
export interface UseCaseDeps {
  readonly pool: Pool
  /** The queue named `APPS_QUEUE`. */
  readonly queue: Pick<PostgresQueue, 'wakeIn'>
  /** Absent: write-only values are refused, because there is no key. */
  readonly ring?: KeyRing | undefined
  readonly charts: Charts
  readonly users: Users
  /** @default there are none */
  readonly clusters?: ClusterDirectory | undefined
  /** What charts are tried with; there is none until a control plane is connected. @default never */
  readonly trial?: () => Trial | undefined
  /** Keys that sign charts of any source, in ASCII armor. @default there are none */
  readonly platformKeyring?: () => Promise<string | undefined>
  /** For definitions of charts, which an admin installs; with the rights of the process. @default never */
  readonly cluster?: () => (Reader & Writer) | undefined
  /** The ingress class that every deployment gets. */
  readonly ingressClass: string
  /** The most deployments of a user for whom no other limit was set. @default no limit */
  readonly deploymentsPerUser?: number
  /** How many generations of a deployment can be gone back to. @default 20 */
  readonly keepRevisions?: number
  /** @default every domain may be ordered */
  readonly domains?: DomainRules
  readonly clock: Clock
  readonly random: Random
}
