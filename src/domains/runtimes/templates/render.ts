import { functionName } from '../names.ts'
import type { ManagedKind, RenderedChild } from '../types.ts'
import { addonProblems } from './addons.ts'
import { platformEnv } from './container.ts'
import { checkFunctions, SERVICE_PORT, type CheckedFunction, type RunnableFunction } from './functions.ts'
import { odgmChildren } from './odgm.ts'
import type { Rendered, RenderedFunction, RenderInput } from './template.ts'

interface RenderParts {
  /** The kind of a function's workload. */
  readonly workload: ManagedKind
  /** Environment variables that this style sets itself, besides those of the platform. */
  readonly reserved: readonly string[]
  readonly function: (fn: RunnableFunction) => readonly RenderedChild[]
  readonly monitors: () => readonly RenderedChild[]
}

/** What is the same in every style: functions are checked one by one, ODGM knows their addresses, monitors watch them. */
export function renderClass(input: RenderInput, parts: RenderParts): Rendered {
  const { runtime } = input
  const reserved = new Set([...Object.keys(platformEnv(runtime, '')), ...parts.reserved])
  const checked = checkFunctions(runtime.spec, reserved)
  const functions = distinct(checked).map((one) => addressOf(input, one, parts.workload))
  const workloads = checked.flatMap((one) => (one.runs === 'workload' ? parts.function(one.fn) : []))
  const monitors = workloads.length > 0 ? parts.monitors() : []
  return {
    children: [...workloads, ...odgmChildren(input, functions), ...monitors],
    functions,
    problems: [
      ...addonProblems(runtime.spec),
      ...checked.flatMap((one) => (one.runs === 'nowhere' ? one.problems : [])),
    ],
  }
}

const distinct = (checked: readonly CheckedFunction[]): CheckedFunction[] =>
  [...new Map(checked.toReversed().map((one) => [one.key, one])).values()].toReversed()

/** Also of a function that cannot run now: what it had before is still its own. */
function addressOf({ runtime }: RenderInput, checked: CheckedFunction, kind: ManagedKind): RenderedFunction {
  if (checked.runs === 'wasm') return { functionKey: checked.key, predictedUrl: `wasm://${checked.key}` }
  const { name: className, namespace = '' } = runtime.metadata
  const name = functionName(className, checked.key)
  return {
    functionKey: checked.key,
    service: name,
    port: SERVICE_PORT,
    predictedUrl: `http://${name}.${namespace}.svc.cluster.local`,
    workload: { kind, name },
  }
}
