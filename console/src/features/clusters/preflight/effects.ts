import type { NodePoolEffectView } from '../../../lib/api/contract.ts'
import { rangeText } from '../status.ts'

/** `added: 1–3 machines` */
export function effectText(pool: Omit<NodePoolEffectView, 'name'>): string {
  const { change, rolls, machines_min: min, machines_max: max, machines_during_roll: most } = pool
  if (change === 'removed') return 'removed with all of its machines'
  const machines = `${change}: ${rangeText(min, max)} ${max === 1 ? 'machine' : 'machines'}`
  return rolls ? `${machines}, each replaced, at most ${most} at once` : machines
}
