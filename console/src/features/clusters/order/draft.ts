import type { ClusterCreate, LandscapeView, NodePoolCreate, NodePoolView } from '../../../lib/api/contract.ts'
import { windowOf } from './window.ts'
import type { WindowDraft } from './window.ts'

/** A node pool as a form edits it; an empty number is an empty text. */
export interface PoolDraft {
  /** Identity in the form; not sent. */
  readonly key: string
  readonly name: string
  readonly machine_type: string
  readonly autoscale_min: number | string
  readonly autoscale_max: number | string
}

export interface ClusterDraft {
  readonly name: string
  readonly region: string
  readonly kubernetes_version: string
  readonly node_pools: readonly PoolDraft[]
  readonly maintenance: WindowDraft | null
}

type Version = LandscapeView['versions'][number]

const numbers = (version: string): readonly number[] => version.split('.').map(Number)

const compareVersions = (a: string, b: string): number => {
  const [left, right] = [numbers(a), numbers(b)]
  return [0, 1, 2].map((at) => (left[at] ?? 0) - (right[at] ?? 0)).find((difference) => difference !== 0) ?? 0
}

export const newestFirst = <T extends { readonly version: string }>(versions: readonly T[]): readonly T[] =>
  versions.toSorted((a, b) => compareVersions(b.version, a.version))

/** The newest version that Gardener supports; a preview only where there is nothing else. */
export const preferredVersion = (versions: readonly Version[]): string => {
  const all = newestFirst(versions).filter(({ classification }) => classification !== 'expired')
  return (all.find(({ classification }) => classification === 'supported') ?? all[0])?.version ?? ''
}

/** `1.33.7 (deprecated, expires 31 Jan 2027)` */
export function versionText({ version, classification, expires_at: expires }: Version): string {
  const notes = [
    ...(classification === 'supported' ? [] : [classification]),
    ...(expires === null || classification === 'expired' ? [] : [`expires ${dateText(expires)}`]),
  ]
  return notes.length === 0 ? version : `${version} (${notes.join(', ')})`
}

export const dateText = (at: string): string => new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })

type MachineType = LandscapeView['machine_types'][number]

/** `small (2 CPU, 4Gi)` */
export function machineText({ name, cpu, gpu, memory }: Omit<MachineType, 'allowed'>): string {
  return `${name} (${[`${cpu} CPU`, ...(gpu === '0' || gpu === '' ? [] : [`${gpu} GPU`]), memory].join(', ')})`
}

export const newPool = (
  landscape: Pick<LandscapeView, 'machine_types'> | undefined,
  others: readonly PoolDraft[],
): PoolDraft => ({
  key: crypto.getRandomValues(new Uint32Array(2)).join('-'),
  name: freeName(others.map(({ name }) => name)),
  machine_type: landscape?.machine_types.find(({ allowed }) => allowed)?.name ?? '',
  autoscale_min: 1,
  autoscale_max: 3,
})

const freeName = (taken: readonly string[]): string => {
  const names = ['workers', ...taken.map((_, index) => `workers-${index + 2}`)]
  return names.find((name) => !taken.includes(name)) ?? ''
}

export const draftOfPool = ({ id, ...pool }: NodePoolView): PoolDraft => ({ key: id, ...pool })

/** What an order begins with: a choice is made where there is only one, or a best one. */
export const newDraft = (landscape: LandscapeView | undefined): ClusterDraft => {
  const regions = landscape?.regions.filter(({ allowed }) => allowed) ?? []
  return {
    name: '',
    region: (regions.length === 1 && regions[0]?.name) || '',
    kubernetes_version: preferredVersion(landscape?.versions ?? []),
    node_pools: [newPool(landscape, [])],
    maintenance: null,
  }
}

/** What is still empty, by the name of the field as the API writes it. */
export function emptyFields(draft: ClusterDraft): readonly string[] {
  const own = (['name', 'region', 'kubernetes_version'] as const).filter((field) => draft[field].trim() === '')
  const times =
    draft.maintenance === null ? [] : (['begin', 'end'] as const).filter((at) => draft.maintenance?.[at] === '')
  return [
    ...own,
    ...draft.node_pools.flatMap((pool, index) => emptyPoolFields(pool).map((field) => `node_pools/${index}/${field}`)),
    ...times.map((field) => `maintenance/${field}`),
  ]
}

export const emptyPoolFields = (pool: PoolDraft): readonly string[] =>
  (['name', 'machine_type', 'autoscale_min', 'autoscale_max'] as const).filter(
    (field) => String(pool[field]).trim() === '',
  )

export const poolOf = ({ name, machine_type, autoscale_min: min, autoscale_max: max }: PoolDraft): NodePoolCreate => ({
  name: name.trim(),
  machine_type: machine_type.trim(),
  autoscale_min: Number(min),
  autoscale_max: Number(max),
})

export const orderOf = ({
  name,
  region,
  kubernetes_version,
  node_pools,
  maintenance,
}: ClusterDraft): ClusterCreate => ({
  name: name.trim(),
  region: region.trim(),
  kubernetes_version: kubernetes_version.trim(),
  node_pools: node_pools.map(poolOf),
  maintenance: maintenance === null ? null : windowOf(maintenance),
})
