import { failureOf, type Failure } from '../../kernel/index.ts'
import { CLUSTER_NAME, type Shoot, type ShootWorker } from './gardener/shoot.ts'
import { isSameMinor, versionOf } from './shoot/version.ts'

/** What a change would do to a cluster, as Gardener's dry run answers; `shoot/surge.ts` forecasts its machines. */
export interface ClusterPreview {
  readonly action: 'create' | 'change' | 'nothing' | 'refused'
  readonly fields: readonly FieldChange[]
  /** Node pools whose nodes are replaced one by one, and why. */
  readonly rolls: readonly { readonly pool: string; readonly because: string }[]
  /** Why Gardener would not take it. */
  readonly refusal: Failure | null
}

export interface FieldChange {
  /** `spec.provider.workers[name=default].maximum`. */
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

/** `after`: what the server would make of it, as its dry run answered; or why it refused. */
export function previewOf(before: Shoot | undefined, after: Shoot | { readonly error: unknown }): ClusterPreview {
  if ('error' in after) return { action: 'refused', fields: [], rolls: [], refusal: failureOf(after.error) }
  if (before === undefined) return { action: 'create', fields: [], rolls: [], refusal: null }
  const fields = [
    ...changesIn(`metadata.annotations[${CLUSTER_NAME}]`, nameIn(before), nameIn(after)),
    ...changesIn('spec', before.spec, after.spec),
  ]
  const action = fields.length === 0 ? 'nothing' : 'change'
  return { action, fields, rolls: rollsOf(before, after), refusal: null }
}

/** The name that people gave. */
const nameIn = ({ metadata }: Shoot): string | undefined => metadata.annotations?.[CLUSTER_NAME]

const workersOf = (shoot: Shoot | undefined): ReadonlyMap<string, ShootWorker> =>
  new Map(shoot?.spec.provider.workers?.map((worker) => [worker.name, worker]))

/** The fields whose change makes Gardener replace nodes. */
function rollsOf(before: Shoot, after: Shoot): ClusterPreview['rolls'] {
  const old = workersOf(before)
  const minor = isMinorChange(before.spec.kubernetes.version, after.spec.kubernetes.version)
  return [...workersOf(after).values()].flatMap((worker) => {
    const was = old.get(worker.name)
    if (was === undefined) return []
    const reasons = [
      ...(minor ? [`Kubernetes ${before.spec.kubernetes.version} → ${after.spec.kubernetes.version}`] : []),
      ...(was.machine.type === worker.machine.type
        ? []
        : [`machine type ${was.machine.type} → ${worker.machine.type}`]),
      ...(imageOf(was) === imageOf(worker) ? [] : [`machine image ${imageOf(was)} → ${imageOf(worker)}`]),
    ]
    return reasons.length === 0 ? [] : [{ pool: worker.name, because: reasons.join(', ') }]
  })
}

const imageOf = ({ machine: { image } }: ShootWorker): string => [image?.name, image?.version].join(' ').trim()

function isMinorChange(before: string, after: string): boolean {
  const [was, is] = [versionOf(before), versionOf(after)]
  return was !== undefined && is !== undefined && !isSameMinor(was, is)
}

/** The leaves that differ. Items of a list with names are compared by their names. */
function changesIn(path: string, before: unknown, after: unknown): FieldChange[] {
  if (Array.isArray(before) && Array.isArray(after) && [...before, ...after].every(isNamed))
    return changesInNamed(path, before as Named[], after as Named[])
  if (isFields(before) && isFields(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => changesIn(path === '' ? name : `${path}.${name}`, before[name], after[name]))
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }]
}

interface Named {
  readonly name: string
}

function changesInNamed(path: string, before: readonly Named[], after: readonly Named[]): FieldChange[] {
  const [old, next] = [before, after].map((items) => new Map(items.map((item) => [item.name, item])))
  const names = [...new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])]
  return names.flatMap((name) => changesIn(`${path}[name=${name}]`, old?.get(name), next?.get(name)))
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isNamed = (item: unknown): boolean => isFields(item) && typeof item['name'] === 'string'
