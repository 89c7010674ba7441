import type { PackageAppliedView } from '../../lib/api/contract.ts'

type Item = PackageAppliedView['items'][number]

/** `Is created` before it is done, `Was created` afterwards. */
export const changeText = (change: Item['change'], isDone: boolean): string =>
  change === 'unchanged' ? 'Stays as it is' : `${isDone ? 'Was' : 'Is'} ${change}`

export function packageSummary(items: readonly Pick<Item, 'change'>[], isDone: boolean): string {
  const count = items.filter(({ change }) => change !== 'unchanged').length
  if (items.length === 0) return 'The package has no deployment for this environment'
  if (count === 0) return isDone ? 'Nothing had to be changed' : 'Nothing would change'
  const runtimes = count === 1 ? '1 runtime' : `${count} runtimes`
  return isDone ? `${runtimes} changed` : `${runtimes} would change`
}
