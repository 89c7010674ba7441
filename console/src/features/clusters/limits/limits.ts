import type { OrganizationLimitsPut, OrganizationLimitsView } from '../../../lib/api/contract.ts'

/** Limits as a form edits them; empty is no limit. */
interface LimitsDraft {
  readonly max_clusters: number | string
  readonly max_nodes: number | string
  readonly regions: readonly string[]
  readonly machine_types: readonly string[]
}

export const draftOfLimits = (limits: OrganizationLimitsView): LimitsDraft => ({
  max_clusters: limits.max_clusters ?? '',
  max_nodes: limits.max_nodes ?? '',
  regions: limits.regions ?? [],
  machine_types: limits.machine_types ?? [],
})

const numberOf = (value: number | string): number | null => (value === '' ? null : Number(value))
const listOf = (values: readonly string[]): string[] | null => (values.length === 0 ? null : [...values])

export const limitsOf = (draft: LimitsDraft): OrganizationLimitsPut => ({
  max_clusters: numberOf(draft.max_clusters),
  max_nodes: numberOf(draft.max_nodes),
  regions: listOf(draft.regions),
  machine_types: listOf(draft.machine_types),
})

interface Named {
  readonly name: string
}

/** What Gardener offers, and what was allowed before. Undefined: it is not known what Gardener offers. */
export const choices = <T extends Named>(
  offered: readonly T[] | undefined,
  chosen: readonly string[],
  text: (one: T) => string,
): { readonly value: string; readonly label: string }[] => [
  ...(offered ?? []).map((one) => ({ value: one.name, label: text(one) })),
  ...[...new Set(chosen)]
    .filter((name) => offered?.every((one) => one.name !== name) ?? true)
    .map((name) => ({ value: name, label: offered === undefined ? name : `${name}, not offered` })),
]
