import type { KubeObject } from '../../../kube/index.ts'
import { DIMENSIONS, type ClassRuntime, type Dimension, type Recommendation } from '../class-runtime.ts'
import { functionLabel, ownerLabel } from '../names.ts'
import type { AnalyzerUpdate } from '../status.ts'
import { FUNCTION_LABEL, OWNER_LABEL } from '../types.ts'
import { analyze } from './analyze.ts'
import { RULES } from './dimension.ts'
import { nfrKey } from './enforce.ts'
import type { Measured, PodLoad } from './measure.ts'

/** What is measured of the pods of each function. */
export type Loads = ReadonlyMap<string, readonly PodLoad[]>

const loadKey = (namespace: string | undefined, owner: string | undefined, fn: string | undefined): string =>
  `${namespace}/${owner}/${fn}`

/** Measurements know pods, recommendations functions; the labels of the pods join them. */
export function loadsOf(pods: readonly KubeObject[], measured: Measured): Loads {
  const loads = new Map<string, PodLoad[]>()
  for (const { metadata } of pods) {
    if (metadata.deletionTimestamp !== undefined) continue
    const key = loadKey(metadata.namespace, metadata.labels?.[OWNER_LABEL], metadata.labels?.[FUNCTION_LABEL])
    const load = measured.pods.get(`${metadata.namespace}/${metadata.name}`) ?? {}
    const others = loads.get(key)
    if (others === undefined) loads.set(key, [load])
    else others.push(load)
  }
  return loads
}

/** By the key of the status. */
export type Found = Readonly<
  Record<string, Recommendation & { readonly functionKey: string; readonly dimension: Dimension }>
>

/** What can be said about the functions of a runtime now. */
export function recommendationsFor({ metadata, spec }: ClassRuntime, loads: Loads, now: number): Found {
  const owner = ownerLabel(metadata.name)
  const found = (spec.functions ?? []).flatMap((fn) => {
    const functionKey = fn.function_key
    const pods = loads.get(loadKey(metadata.namespace, owner, functionLabel(functionKey))) ?? []
    const recommended = analyze(spec, fn, { pods }, now)
    return DIMENSIONS.flatMap((dimension) => {
      const one = recommended[dimension]
      return one === undefined ? [] : [[nfrKey(dimension, functionKey), { ...one, functionKey, dimension }] as const]
    })
  })
  return Object.fromEntries(found)
}

/** Everything, as soon as one value has moved or one is getting old; so what is written is always of one time. */
export function worthWriting({ status }: ClassRuntime, found: Found, maxAgeMs: number, now: number): Found {
  const isNews = Object.entries(found).some(([key, { dimension, value }]) => {
    const old = status?.nfr_recommendations?.[key]
    if (old === undefined || now - Date.parse(old.at) >= maxAgeMs / 3) return true
    return dimension === 'replicas' ? value !== old.value : !RULES[dimension].near(value, old.value)
  })
  return isNews ? found : {}
}

export function updateOf({ metadata }: ClassRuntime, found: Found): AnalyzerUpdate {
  const plain = Object.entries(found).map(([key, { value, at: time, confidence, basis }]) => [
    key,
    { value, at: time, confidence, basis },
  ])
  return {
    nfr_recommendations: Object.fromEntries(plain),
    conditions: [
      {
        type: 'NfrObserved',
        status: 'True',
        reason: 'Recommended',
        message: 'nfr_recommendations are concluded from measurements',
        observedGeneration: metadata.generation ?? 0,
      },
    ],
  }
}
