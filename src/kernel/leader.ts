import type { Service } from './service.ts'

/**
 * Runs services in at most one process at a time.
 *
 * A process that cannot prove that it still leads stops its services before another may begin; one that stops in good order lets the
 * next begin at once. `start` resolves when the election runs, whoever wins it.
 */
export interface LeaderElection extends Service {
  readonly leading: boolean
  /** Who leads, as far as this process knows. */
  readonly leader: string | undefined
}

/** Made anew for every term, because a service runs once. */
export type Term = () => readonly Service[]
