import type { Queue } from '../../../kernel/index.ts'
import { deploymentKey } from '../queue.ts'
import type { DeploymentRows } from '../rows.ts'

export interface RecoveryWakesDeps {
  readonly queue: Pick<Queue, 'wake'>
  readonly rows: Pick<DeploymentRows, 'living' | 'findIn'>
  readonly onError: (error: unknown) => void
}

export interface RecoveryWakes {
  /** The cluster can be used again: its deployments need not wait any longer. */
  recovered(clusterId: string): void
  /** Wakes those of which a wake has failed. */
  again(): Promise<void>
  /** Resolves when no pass is under way, and none follows. */
  close(): Promise<void>
}

const PAGE_SIZE = 500

/**
 * Wakes the deployments of clusters that can be used again. They wait for minutes while their cluster is away, and another
 * process may have sent them away. Clusters that recover during a pass share the next one.
 */
export function recoveryWakes({ queue, rows, onError }: RecoveryWakesDeps): RecoveryWakes {
  const recovered = new Set<string>()
  let pass: Promise<void> | undefined
  let isOver = false

  async function wakeAll(clusters: readonly string[]): Promise<void> {
    let after: string | undefined
    for (;;) {
      const page = await rows.living(after, PAGE_SIZE)
      const ids = page.map(({ id }) => id)
      after = ids.at(-1)
      if (after === undefined || isOver) return
      for (const clusterId of clusters)
        for (const { id, userId } of await rows.findIn(clusterId, ids))
          // As the drift scan wakes them: a failure of another kind keeps its backoff.
          await queue.wake(deploymentKey(id), { reason: 'drift', tenant: userId })
    }
  }

  async function run(): Promise<void> {
    while (recovered.size > 0) {
      if (isOver) return
      const clusters = [...recovered]
      recovered.clear()
      try {
        await wakeAll(clusters)
      } catch (error) {
        for (const id of clusters) recovered.add(id)
        return onError(error)
      }
    }
  }

  const again = (): Promise<void> => (pass ??= run().finally(() => (pass = undefined)))
  return {
    recovered(clusterId) {
      recovered.add(clusterId)
      void again()
    },
    again,
    async close() {
      isOver = true
      await pass
    },
  }
}
