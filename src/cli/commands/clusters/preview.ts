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
  readonly after: number
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

/** `the organization uses 1 of 5 clusters and 3 nodes now; with this change, 2 clusters and 6 nodes` */
function usedText({ clusters, nodes }: ClusterPreview['limits']): string {
  const used = (what: string, count: number, limit: number | null = null): string =>
    `${count}${limit === null ? '' : ` of ${limit}`} ${what}${(limit ?? count) === 1 ? '' : 's'}`
  const now = `${used('cluster', clusters.used, clusters.limit)} and ${used('node', nodes.used, nodes.limit)}`
  return `the organization uses ${now} now; with this change, ${used('cluster', clusters.after)} and ${used('node', nodes.after)}\n`
}

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
    values === null || values.length === 0 ? '' : `; supported: ${values.join(', ')}`
  return [
    `${name} would be ${accepted ? 'accepted' : 'refused'}${accepted && not_consulted.length > 0 ? ', as far as it could be checked' : ''}\n`,
    ...problems.map(
      ({ field, message, supported: values, failure }) =>
        `! ${field === null ? '' : `${field}: `}${message}${supported(values)}\n  action required: ${actorOf(failure.whose_move)}: ${failure.next_step}\n`,
    ),
    ...(accepted && (fields.length > 0 || isStill(preview))
      ? [previewText({ values: [], objects: shootChanges(fields) }, { isCreatedTold: true })]
      : []),
    ...(node_pools.length > 0 ? [formatList('table', node_pools, POOLS)] : []),
    usedText(limits),
    ...not_consulted.map((line) => `! not checked: ${line}\n`),
  ].join('')
}

/** Whether nothing would change, as far as everybody was asked. A new cluster has no fields that differ, but node pools. */
const isStill = ({ node_pools, not_consulted }: ClusterPreview): boolean =>
  not_consulted.length === 0 && node_pools.every(({ change }) => change === 'unchanged')

const shootChanges = (fields: ClusterPreview['fields']): Preview['objects'] =>
  fields.length === 0 ? [] : [{ object: 'Shoot', change: 'changed', fields }]
