import type { Runner } from '../store/index.ts'

/** What one domain holds for a tenant. */
export interface Usage {
  /** Objects that are not deleted. */
  readonly objects: number
  /** Whether the domain's queue skips the tenant. */
  readonly frozen: boolean
}

/**
 * What a domain reports about tenants; the composition root passes one per domain. A tenant that still has
 * objects cannot be deleted.
 */
export interface TenantUsage {
  /** How people call the objects, as a plural: `deployments`. */
  readonly noun: string
  /** By tenant. A tenant of which the domain knows nothing may be absent. */
  of(on: Runner, tenants: readonly string[]): Promise<ReadonlyMap<string, Usage>>
}

/** The usage of a tenant in all domains. */
export interface TotalUsage {
  /** Number of objects by noun; domains without objects are absent. */
  readonly objects: Readonly<Record<string, number>>
  readonly frozen: boolean
}

/** Sums up what the domains report, for each of `tenants`. */
export async function totalUsage(
  domains: readonly TenantUsage[],
  on: Runner,
  tenants: readonly string[],
): Promise<(tenant: string) => TotalUsage> {
  const reports: (readonly [string, ReadonlyMap<string, Usage>])[] = []
  // One after the other: a transaction has one connection.
  for (const domain of domains) reports.push([domain.noun, await domain.of(on, tenants)])
  return (tenant) => {
    const own = reports.flatMap(([noun, usages]) => {
      const usage = usages.get(tenant)
      return usage === undefined ? [] : [{ noun, ...usage }]
    })
    const counts = own.filter(({ objects }) => objects > 0).map(({ noun, objects }) => [noun, objects] as const)
    return { objects: Object.fromEntries(counts), frozen: own.some(({ frozen }) => frozen) }
  }
}

/** `3 deployments and 1 cluster`; empty: nothing. */
export const objectsText = ({ objects }: TotalUsage): string =>
  Object.entries(objects)
    .map(([noun, count]) => `${count} ${count === 1 ? noun.replace(/s$/, '') : noun}`)
    .join(' and ')
