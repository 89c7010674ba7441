import type { Clock } from '../../../kernel/index.ts'
import type { Pool } from '../../../store/index.ts'
import type { Gardener } from '../gardener/gardener.ts'
import type { GardenerSettings } from '../shoot/wanted.ts'
import type { Clusters } from './port.ts'

/** What insight works with besides the rows. Gardener is never asked inside of a transaction. */
export interface InsightDeps {
  readonly pool: Pool
  readonly clusters: Clusters
  readonly gardener: Gardener
  readonly settings: GardenerSettings
  readonly clock: Clock
}
