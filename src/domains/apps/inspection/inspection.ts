import type { Grant } from '../grants/grant.ts'
import type { GrantOffer } from '../grants/offer.ts'
import type { DefinedKind } from '../helm/chart-contents.ts'
import type { Template } from '../types.ts'

/*
 * What trying a template out told, before anybody orders it: it is rendered without a control plane for a deployment that
 * does not exist.
 */

export const FINDING_CODES = [
  /** Helm cannot render it. */
  'NotRendered',
  /** Chart.yaml names charts that are not in the archive. */
  'DependencyMissing',
  /** The template's own values contradict its schema. */
  'DefaultsUnfit',
  /** An object that a release may not create. */
  'ObjectRefused',
  /** Helm's record of a release would be larger than the API server stores. */
  'RecordTooLarge',
  /** It comes close to that. */
  'RecordLarge',
  /** A kind that the control plane does not have. */
  'KindMissing',
  /** Nothing in the manifest names the domain that is ordered. */
  'DomainNowhere',
  /** A rule of drift_ignore is about a kind that neither the chart nor the control plane has. */
  'IgnoredKindUnknown',
  /** A path of drift_ignore is nothing that the chart sets. */
  'IgnoredPathUnset',
] as const
export type FindingCode = (typeof FINDING_CODES)[number]

export interface Finding {
  readonly code: FindingCode
  /** Whether every order would fail because of it. */
  readonly severity: 'problem' | 'warning'
  readonly message: string
  /** The object it is about, such as `ClusterRole/web`. */
  readonly object: string | null
  /** The field of the template it is about, such as `drift_ignore/0/kind`. */
  readonly field?: string
  /** Values that make the object disappear, such as `rbac.create=false`; tried, not guessed. */
  readonly switchedOffBy: readonly string[]
  /** Whether an admin can grant the object to the template. @default it is not about that */
  readonly grant?: GrantOffer
}

export interface Inspection {
  readonly findings: readonly Finding[]
  /** What would be created, hooks included. */
  readonly objects: readonly string[]
  /** Where the ordered domain ends up, such as `Ingress/web spec.rules[0].host`. */
  readonly domainAt: readonly string[]
  /** What Helm's record of a release takes, about; `null`: it could not be rendered. */
  readonly recordBytes: number | null
  /** Kinds that are not built in and that it needs. */
  readonly customKinds: readonly DefinedKind[]
}

/** Kinds that can be granted are of one group each. */
type GrantedName = Pick<Grant, 'kind' | 'name'>

/** But for what is granted. */
export const problemsIn = ({ findings }: Inspection, granted: readonly GrantedName[] = []): readonly Finding[] =>
  findings.filter(({ severity, grant }) => severity === 'problem' && !granted.some((one) => isOffer(grant, one)))

export const isOffer = (offer: GrantOffer | undefined, { kind, name }: GrantedName): boolean =>
  offer?.grantable === true && offer.kind === kind && offer.name === name

/** What no settings of a tenant can mend. How it renders may depend on them. */
const FINAL: readonly FindingCode[] = ['DependencyMissing', 'ObjectRefused', 'RecordTooLarge']

export const finalProblems = ({
  inspection,
  grants = [],
}: Pick<Template, 'inspection' | 'grants'>): readonly Finding[] => {
  const standing = grants.filter(({ revokedAt }) => revokedAt === null)
  return inspection === null ? [] : problemsIn(inspection, standing).filter(({ code }) => FINAL.includes(code))
}
