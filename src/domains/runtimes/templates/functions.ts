import { quantityOf } from '../../../kube/index.ts'
import type { ClassRuntimeSpec, FunctionSpec } from '../class-runtime.ts'
import { hasOdgm } from './addons.ts'
import type { RenderProblem } from './template.ts'

export const DEFAULT_PORT = 8080
/** The port of a function's Service, whatever its container listens on. */
export const SERVICE_PORT = 80

/** A function that can be rendered: everything that may be absent has its value. */
export interface RunnableFunction {
  readonly key: string
  readonly image: string
  readonly port: number
  readonly isHttp2: boolean
  readonly maxConcurrency: number
  readonly minScale: number
  /** 0: without a limit. */
  readonly maxScale: number
  readonly requests: Readonly<Record<string, string>>
  readonly limits: Readonly<Record<string, string>>
  readonly config: Readonly<Record<string, string>>
}

export type CheckedFunction =
  | { readonly runs: 'workload'; readonly key: string; readonly fn: RunnableFunction }
  | { readonly runs: 'wasm'; readonly key: string; readonly moduleUrl: string }
  | { readonly runs: 'nowhere'; readonly key: string; readonly problems: readonly RenderProblem[] }

/** Each function of the spec with what can be made of it. A mistake in one does not hold up the others. */
export function checkFunctions(spec: ClassRuntimeSpec, reserved: ReadonlySet<string>): CheckedFunction[] {
  const functions = spec.functions ?? []
  const firsts = new Map<string, number>()
  functions.forEach(({ function_key: key }, index) => firsts.has(key) || firsts.set(key, index))
  return functions.map((declared, index) => {
    const at = `spec.functions[${index}]`
    const first = firsts.get(declared.function_key) ?? index
    const problems =
      first === index
        ? [
            ...functionMistakes(declared, at),
            ...homelessMistakes(declared, at, spec),
            ...configMistakes(declared, at, reserved),
          ]
        : [{ field: `${at}.function_key`, message: `"${declared.function_key}" is the key of functions[${first}] too` }]
    return problems.length > 0 ? { runs: 'nowhere', key: declared.function_key, problems } : runnable(declared)
  })
}

function runnable({ function_key: key, provision_config: provision = {}, config = {} }: FunctionSpec): CheckedFunction {
  const { wasm_module_url: moduleUrl = '', min_scale: minScale = 0 } = provision
  if (moduleUrl !== '') return { runs: 'wasm', key, moduleUrl }
  const fn = {
    key,
    image: provision.container_image ?? '',
    port: provision.port ?? DEFAULT_PORT,
    isHttp2: provision.need_http2 ?? false,
    maxConcurrency: provision.max_concurrency ?? 0,
    minScale,
    maxScale: provision.max_scale ?? 0,
    requests: present({ cpu: provision.cpu_request, memory: provision.memory_request }),
    limits: present({ cpu: provision.cpu_limit, memory: provision.memory_limit }),
    config,
  }
  return { runs: 'workload', key, fn }
}

const present = (amounts: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).filter((entry): entry is [string, string] => (entry[1] ?? '') !== ''))

/** What is wrong with a function by itself, whatever it is rendered as. */
export function functionMistakes({ function_key: key, provision_config = {} }: FunctionSpec, at: string) {
  const problems: RenderProblem[] = []
  const provision = `${at}.provision_config`
  const { container_image: image = '', wasm_module_url: wasm = '', min_scale = 0, max_scale = 0 } = provision_config
  if (key.trim() === '') problems.push({ field: `${at}.function_key`, message: 'must not be empty' })
  if (image.trim() === '' && wasm === '') {
    const message = `function "${key}" has no image; set it, or wasm_module_url for a function inside ODGM`
    problems.push({ field: `${provision}.container_image`, message })
  } else if (image !== '' && wasm !== '') {
    const message = 'an image and a WASM module exclude each other; remove one'
    problems.push({ field: `${provision}.wasm_module_url`, message })
  } else if (/\s/.test(image)) {
    problems.push({ field: `${provision}.container_image`, message: `"${image}" must not contain spaces` })
  } else if (/[${}]/.test(image)) {
    const message = `"${image}" contains a variable; write its value, such as registry.example.com/cart:1.0`
    problems.push({ field: `${provision}.container_image`, message })
  }
  if (max_scale !== 0 && min_scale > max_scale) {
    const message = `must not exceed max_scale, which is ${max_scale}; it is ${min_scale}`
    problems.push({ field: `${provision}.min_scale`, message })
  }
  return [...problems, ...amountMistakes(provision_config, provision)]
}

function homelessMistakes({ provision_config = {} }: FunctionSpec, at: string, spec: ClassRuntimeSpec) {
  if ((provision_config.wasm_module_url ?? '') === '' || hasOdgm(spec)) return []
  const message = 'a WASM module runs inside ODGM; add "odgm" to spec.addons'
  return [{ field: `${at}.provision_config.wasm_module_url`, message }]
}

const AMOUNTS = ['cpu', 'memory'] as const

function amountMistakes(provision: NonNullable<FunctionSpec['provision_config']>, at: string): RenderProblem[] {
  return AMOUNTS.flatMap((resource) => {
    const [request, limit] = [provision[`${resource}_request`] ?? '', provision[`${resource}_limit`] ?? '']
    const wrong = (
      [
        ['request', request],
        ['limit', limit],
      ] as const
    )
      .filter(([, amount]) => amount !== '' && !((quantityOf(amount) ?? -1) >= 0))
      .map(([name, amount]) => ({
        field: `${at}.${resource}_${name}`,
        message: `"${amount}" is not a quantity; write ${resource === 'cpu' ? '500m or 2' : '512Mi or 1Gi'}`,
      }))
    if (wrong.length > 0 || request === '' || limit === '') return wrong
    if ((quantityOf(request) ?? 0) <= (quantityOf(limit) ?? 0)) return []
    return [{ field: `${at}.${resource}_request`, message: `${request} must not exceed the limit, which is ${limit}` }]
  })
}

function configMistakes({ config = {} }: FunctionSpec, at: string, reserved: ReadonlySet<string>): RenderProblem[] {
  return Object.keys(config).flatMap((name) => {
    const field = `${at}.config[${JSON.stringify(name)}]`
    if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name)) {
      return [{ field, message: 'must be the name of an environment variable: letters, digits, "_", "-" and "."' }]
    }
    return reserved.has(name) ? [{ field, message: `${name} is set by the platform; choose another name` }] : []
  })
}
