import {
  valueOf,
  modeFor,
  nfrKey,
  phaseOf,
  recommendationFor,
  type RuntimeDetails,
} from '../../../domains/runtimes/usecases/index.ts'
import { DIMENSIONS, type ClassRuntime, type NfrSettings } from '../../../domains/runtimes/index.ts'
import { findCondition } from '../../../kernel/index.ts'
import type {
  NfrValueView,
  RuntimeConditionView,
  RuntimeFunctionView,
  RuntimePhase,
  RuntimeSummary,
  RuntimeView,
} from '../../contract/index.ts'
import { childViews } from './children.ts'

export const UNITS = { replicas: 'replicas', memory: 'bytes', cpu: 'millicores' } as const

/** Which condition speaks for a phase. */
const SPEAKER: Readonly<Record<string, string>> = { available: 'Available', degraded: 'Degraded' }

export function summaryView(runtime: ClassRuntime): RuntimeSummary {
  const { metadata, spec, status = {} } = runtime
  const { namespace = '', name } = metadata
  const phase = phaseOf(runtime) as RuntimePhase
  const speaks = findCondition(status.conditions ?? [], SPEAKER[phase] ?? 'Progressing')
  const functions = spec.functions ?? []
  return {
    id: `${namespace}/${name}`,
    namespace,
    name,
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 0,
    observed_generation: status.observed_generation ?? null,
    phase,
    phase_since: metadata.deletionTimestamp ?? speaks?.lastTransitionTime ?? null,
    reason: speaks?.reason ?? null,
    message: status.message ?? 'no controller has reconciled it yet',
    package_class_key: spec.package_class_key ?? null,
    template: status.template ?? null,
    functions_ready: (status.functions ?? []).filter(({ ready }) => ready === true).length,
    functions_total: functions.length,
    mode: spec.enforcement?.mode ?? 'observe',
    created_at: metadata.creationTimestamp ?? new Date(0).toISOString(),
    updated_at: status.last_updated ?? null,
    deleting_since: metadata.deletionTimestamp ?? null,
  }
}

export interface ViewOptions {
  readonly nfr: NfrSettings
  readonly now: number
  /** Settings of functions become their environment, where people put passwords: only admins read their values. */
  readonly isAdmin: boolean
}

export function runtimeView(sighting: RuntimeDetails, options: ViewOptions): RuntimeView {
  const { runtime } = sighting
  const { metadata, status = {}, spec } = runtime
  const { mode = 'observe', dimensions = ['replicas'] } = spec.enforcement ?? {}
  return {
    ...summaryView(runtime),
    labels: { ...metadata.labels },
    annotations: { ...metadata.annotations },
    spec: specView(runtime, options.isAdmin),
    conditions: (status.conditions ?? []).map(conditionView),
    functions: functionViews(runtime),
    children: childViews(sighting),
    routers: (status.routers ?? []).map((router) => ({ ...router })),
    enforcement: {
      mode,
      dimensions: [...dimensions],
      last_applied_at: status.last_applied_at ?? null,
      history: (status.last_applied_recommendations ?? []).toReversed().map(({ at, function_key, ...rest }) => ({
        ...rest,
        at: at ?? null,
        function_key: function_key ?? null,
      })),
    },
    nfr: nfrViews(sighting, options),
  }
}

const HIDDEN = '[redacted]'

function specView({ spec }: ClassRuntime, isAdmin: boolean): RuntimeView['spec'] {
  const shown = structuredClone(spec) as RuntimeView['spec']
  if (isAdmin) return shown
  for (const one of shown.functions ?? []) {
    if (one.config) one.config = Object.fromEntries(Object.keys(one.config).map((name) => [name, HIDDEN]))
  }
  return shown
}

const conditionView = ({
  type,
  status,
  reason,
  message,
  lastTransitionTime,
}: NonNullable<NonNullable<ClassRuntime['status']>['conditions']>[number]): RuntimeConditionView => ({
  type,
  status,
  reason,
  message,
  since: lastTransitionTime,
})

function functionViews({ spec, status = {} }: ClassRuntime): RuntimeFunctionView[] {
  return (spec.functions ?? []).map(({ function_key, description, provision_config: provision = {} }) => {
    const told = (status.functions ?? []).find((one) => one.function_key === function_key)
    return {
      function_key,
      description: description ?? null,
      image: provision.container_image ?? null,
      wasm_module_url: provision.wasm_module_url ?? null,
      ready: told?.ready ?? false,
      reason: told?.reason ?? null,
      message: told?.message ?? null,
      since: told?.lastTransitionTime ?? null,
      template: told?.template ?? null,
      service: told?.service ?? null,
      port: told?.port ?? null,
      url: told?.observed_url ?? told?.predicted_url ?? null,
      min_scale: provision.min_scale ?? null,
      max_scale: provision.max_scale ?? null,
    }
  })
}

function nfrViews({ runtime, children }: RuntimeDetails, { nfr, now }: ViewOptions): NfrValueView[] {
  const { spec, status } = runtime
  const live = children.flatMap(({ seen }) => seen ?? [])
  return (spec.functions ?? []).flatMap(({ function_key }) =>
    DIMENSIONS.flatMap((dimension): NfrValueView[] => {
      const found = recommendationFor(status, dimension, function_key)
      const state = status?.nfr_state?.[nfrKey(dimension, function_key)]
      const mode = modeFor(spec, dimension)
      if (found === undefined && state === undefined && mode === 'off') return []
      return [
        {
          function_key,
          dimension,
          unit: UNITS[dimension],
          enforced: mode === 'enforce',
          live: valueOf(live, function_key, dimension) ?? null,
          recommended:
            found === undefined
              ? null
              : {
                  value: found.value,
                  at: found.at,
                  stale: now - Date.parse(found.at) > nfr.maxAgeMs,
                  confidence: found.confidence,
                  basis: found.basis,
                },
          applied: state?.applied ?? null,
          target: state?.target ?? null,
          target_since: state?.since ?? null,
          cooldown_until: state?.cooldown_until ?? null,
          failure: state?.failure === undefined ? null : { ...state.failure },
        },
      ]
    }),
  )
}
