import { aborted, answerWithin, type Clock } from '../../../kernel/index.ts'
import { NotRenewedYet, RENEW_AFTER, type EndingKubeconfig } from '../../../kube/index.ts'
import type { ClusterAccess } from './port.ts'

export interface KeptKubeconfigDeps {
  readonly clusterId: string
  readonly access: ClusterAccess
  readonly clock: Clock
  /** The cluster is no longer used. */
  readonly signal: AbortSignal
}

const ANSWER_MS = 10_000
/** An answer that takes longer is not waited for in the background either. */
const LATE_MS = 120_000
/** Between two kubeconfigs while the API server is silent or refuses them. The pause doubles until the API server answers. */
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 600_000

interface Kept extends EndingKubeconfig {
  readonly madeAt: number
}

/**
 * The kubeconfig of one cluster, in memory. Each one that is asked for is a certificate of an administrator and an audit row, so
 * connections share it, and an API server that cannot be used costs few of them.
 */
export class KeptKubeconfig {
  readonly #deps: KeptKubeconfigDeps
  #kept: Kept | undefined
  #isGone = false
  /** The API server does not answer with the kept one, or it is of no use. */
  #isFailing = false
  /** What the caller was given last. */
  #given: Kept | undefined
  #asking: Promise<void> | undefined
  #askAgainAt = -Infinity
  #pauseMs = FIRST_PAUSE_MS

  constructor(deps: KeptKubeconfigDeps) {
    this.#deps = deps
  }

  /** For a new connection. `gone`: the cluster is gone for good. */
  async first(): Promise<EndingKubeconfig | 'gone'> {
    if (this.#isUsable() && (!this.#isFailing || this.#isTooEarly())) return this.#give()
    return await this.#ask()
  }

  /** Another one than the connection has. Throws `NotRenewedYet` when the one before is too young. */
  async next(): Promise<EndingKubeconfig | 'gone'> {
    if (this.#isUsable()) {
      if (this.#kept !== this.#given) return this.#give()
      if (this.#isTooEarly()) throw new NotRenewedYet()
    }
    return await this.#ask()
  }

  answered(): void {
    this.#isFailing = false
    if (this.#pauseMs === FIRST_PAUSE_MS) return
    this.#pauseMs = FIRST_PAUSE_MS
    this.#askAgainAt = Math.min(this.#askAgainAt, this.#deps.clock.elapsed() + FIRST_PAUSE_MS)
  }

  failed(): void {
    this.#isFailing = true
  }

  #isUsable(): boolean {
    const kept = this.#kept
    return kept !== undefined && this.#deps.clock.now() < kept.madeAt + RENEW_AFTER * (kept.expiresAt - kept.madeAt)
  }

  #isTooEarly(): boolean {
    return this.#deps.clock.elapsed() < this.#askAgainAt
  }

  /** An answer that comes too late is kept for the next call. */
  async #ask(): Promise<EndingKubeconfig | 'gone'> {
    const { clock, clusterId } = this.#deps
    this.#asking ??= this.#isGone ? undefined : this.#obtain().finally(() => (this.#asking = undefined))
    const asked = { clock, ms: ANSWER_MS, call: `access to cluster ${clusterId}` }
    await answerWithin(asked, async () => await this.#asking)
    return this.#isGone ? 'gone' : this.#give()
  }

  async #obtain(): Promise<void> {
    const { access, clock, clusterId, signal } = this.#deps
    const madeAt = clock.now()
    const late = new AbortController()
    const cancel = clock.after(LATE_MS, () => late.abort(new Error(`access to cluster ${clusterId} took too long`)))
    const over = AbortSignal.any([signal, late.signal])
    try {
      const answer = await Promise.race([access.kubeconfig(clusterId, over), rejecting(over)])
      this.#isGone = answer === undefined
      if (answer === undefined) return
      this.#kept = { ...answer, madeAt }
      this.#isFailing = false
      this.#askAgainAt = clock.elapsed() + this.#pauseMs
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
    } finally {
      cancel()
    }
  }

  #give(): EndingKubeconfig {
    if (this.#kept === undefined) throw new Error(`there is no kubeconfig of cluster ${this.#deps.clusterId}`)
    this.#given = this.#kept
    return this.#kept
  }
}

async function rejecting(signal: AbortSignal): Promise<never> {
  await aborted(signal)
  throw signal.reason
}
