/** Which domains may be ordered. Every entry stands for itself and for everything below it. */
export interface DomainRules {
  /** Those of the platform. */
  readonly reserved: readonly string[]
  /** Empty: all. */
  readonly allowed: readonly string[]
}

/** The first of these domains that is the domain, or that it is below. */
export const domainWithin = (domain: string, suffixes: readonly string[]): string | undefined =>
  suffixes.find((suffix) => domain === suffix || domain.endsWith(`.${suffix}`))
