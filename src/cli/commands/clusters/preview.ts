import { ExitCode } from '../../exit-code.ts'
import { formatList, formatValue, type Format } from '../../output.ts'
import type { Terminal } from '../../ports.ts'
import { actorOf } from '../../print-failure.ts'
import { previewText, type Preview } from '../insight.ts'
import type { ClusterFailure } from './cluster.ts'

interface PoolEffect {
  readonly name: string
  readonly change: string
  readonly rolls: boolean
  readonly machines_min: number
  readonly machines_max: number
  readonly machines_during_roll: number
}

interface Used {
  readonly used: number
  readonly limit: number | null
}

export interface ClusterPreview {
  readonly accepted: boolean
  readonly problems: readonly {
    readonly field: string | null
    readonly message: string
    readonly supported: readonly string[] | null
    readonly failure: ClusterFailure
  }[]
  readonly fields: Preview['values']
  readonly node_pools: readonly PoolEffect[]
  readonly limits: { readonly clusters: Used; readonly nodes: Used }
  readonly not_consulted: readonly string[]
}

const POOLS = [
  { head: 'node pool', cell: (row: PoolEffect) => row.name },
  { head: 'change', cell: (row: PoolEffect) => row.change },
  { head: 'machines', cell: (row: PoolEffect) => `${row.machines_min}-${row.machines_max}` },
  { head: 'replaced', cell: (row: PoolEffect) => (row.rolls ? 'all' : '') },
  { head: 'at most at once', cell: (row: PoolEffect) => row.machines_during_roll },
]

const usedText = (what: string, { used, limit }: Used): string =>
  `${used}${limit === null ? '' : ` of ${limit}`} ${what}`

/** Prints what saving would do. A change that would be refused ends with exit code 1, as saving it does. */
export function showPreview(
  { out }: Pick<Terminal, 'out'>,
  name: string,
  preview: ClusterPreview,
  output: Format,
): void {
  out(output === 'table' ? clusterPreviewText(name, preview) : formatValue(output, preview))
  if (!preview.accepted) throw new ExitCode(1)
}

/** What saving would do: what is refused and why, then the fields of the Shoot, the node pools, and the limits. */
function clusterPreviewText(name: string, preview: ClusterPreview): string {
  const { accepted, problems, fields, node_pools, limits, not_consulted } = preview
  const supported = (values: readonly string[] | null): string =>
    values === null ? '' : `; supported: ${values.join(', ')}`
  return [
    `${name} would be ${accepted ? 'accepted' : 'refused'}\n`,
    ...problems.map(
      ({ field, message, supported: values, failure }) =>
        `! ${field === null ? '' : `${field}: `}${message}${supported(values)}\n  action required: ${actorOf(failure.whose_move)}: ${failure.next_step}\n`,
    ),
    ...(accepted ? [previewText({ values: [], objects: shootChanges(fields) }, { isCreatedTold: true })] : []),
    ...(node_pools.length > 0 ? [formatList('table', node_pools, POOLS)] : []),
    `the organization uses ${usedText('clusters', limits.clusters)} and ${usedText('nodes', limits.nodes)} now\n`,
    ...not_consulted.map((line) => `! not asked: ${line}\n`),
  ].join('')
}

const shootChanges = (fields: ClusterPreview['fields']): Preview['objects'] =>
  fields.length === 0 ? [] : [{ object: 'Shoot', change: 'changed', fields }]
