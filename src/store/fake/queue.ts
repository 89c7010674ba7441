import { MemoryQueue, type Claim, type Finish, type Key, type Share, type Wake } from '../../kernel/index.ts'
import type { Clock } from '../../kernel/index.ts'

/** A write of the queue. */
export interface QueueWrite {
  readonly fence: number
  readonly key: Key
}

/**
 * The durable queue in memory: one that processes share and that outlives them.
 *
 * `wake` has its effect before it returns its promise, so that a trigger of a table wakes in the table's transaction.
 */
export class FakePostgresQueue extends MemoryQueue {
  readonly #fences = new Map<string, number>()
  readonly #onClaim: (write: QueueWrite) => void
  #version = 0

  constructor(options: {
    readonly clock: Clock
    readonly leaseMs?: number
    readonly onClaim?: (write: QueueWrite) => void
  }) {
    super(options)
    this.#onClaim = options.onClaim ?? (() => {})
  }

  /** Grows with every change of a key but for renewals and empty claims. */
  version(): number {
    return this.#version
  }

  /** The fence of the newest claim of a key, as the job's row has it. */
  fenceOf({ kind, id }: Key): number | undefined {
    return this.#fences.get(`${kind}/${id}`)
  }

  override wake(key: Key, wake: Wake): Promise<void> {
    this.#version++
    return super.wake(key, wake)
  }

  override async claim(worker: string, limit: number, share?: Share): Promise<Claim[]> {
    const claims = await super.claim(worker, limit, share)
    if (claims.length > 0) this.#version++
    for (const { key, fence } of claims) {
      this.#fences.set(`${key.kind}/${key.id}`, fence)
      this.#onClaim({ key, fence })
    }
    return claims
  }

  override async finish(claim: Claim, how: Finish): Promise<boolean> {
    this.#version++
    const isKept = await super.finish(claim, how)
    // The job's row goes with its key.
    if (isKept && how.then === 'forget') this.#fences.delete(`${claim.key.kind}/${claim.key.id}`)
    return isKept
  }
}
