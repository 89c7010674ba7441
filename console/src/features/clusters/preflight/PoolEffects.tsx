import { Facts } from '../../../components/detail/Facts.tsx'
import type { NodePoolEffectView } from '../../../lib/api/contract.ts'
import { effectText } from './effects.ts'

/** What becomes of each node pool: how many machines, and how many at once while they are replaced. */
export const PoolEffects = ({ pools }: { readonly pools: readonly NodePoolEffectView[] }) => (
  <section aria-label="Node pools with this change">
    <Facts facts={pools.map((pool) => [pool.name, effectText(pool)])} />
  </section>
)
