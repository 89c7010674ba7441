import { pathText, unmetFields } from '../../../kube/index.ts'
import type { Shoot, ShootDraft, ShootWorker } from '../gardener/shoot.ts'
import { withCompleted } from './wanted.ts'

/** One field of ours that differs. A value is absent where there is none. */
export interface ShootDrift {
  /** `spec.provider.workers[name=default].maximum`. */
  readonly path: string
  readonly live?: unknown
  readonly wanted?: unknown
}

/**
 * The fields that Caelus owns and that differ in the live Shoot, sorted by path. What the server completes or adds is no
 * difference. A worker group that the row does not have is one: it costs machines that nobody ordered.
 */
export function driftOf(wanted: ShootDraft, live: Shoot): readonly ShootDrift[] {
  const { metadata, spec } = withCompleted(wanted, live)
  const { labels = {}, annotations = {} } = metadata
  const unmet = unmetFields({ metadata: { labels, annotations }, spec }, live)
  return [
    ...unmet.map(({ path, before, after }) => ({
      path: pathText(path),
      ...(before !== undefined && { live: before }),
      wanted: after,
    })),
    ...extraWorkers(wanted, live).map((worker) => ({
      path: `spec.provider.workers[name=${worker.name}]`,
      live: worker,
    })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Worker groups that the row does not have. */
export function extraWorkers(wanted: ShootDraft, live: Shoot): readonly ShootWorker[] {
  const ordered = new Set(wanted.spec.provider.workers?.map(({ name }) => name))
  return (live.spec.provider.workers ?? []).filter(({ name }) => !ordered.has(name))
}

/** `spec.kubernetes.version: 1.34.3 → 1.35`: from what is there to what is wanted. */
export const driftText = ({ path, live, wanted }: ShootDrift): string => `${path}: ${shown(live)} → ${shown(wanted)}`

const shown = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
