import type { RefusedField } from '../../../kernel/index.ts'
import type { ClassRuntimeSpec, FunctionSpec } from '../class-runtime.ts'
import { parsePackage } from './parse.ts'
import { classOf, functionOf, isProvided, referenceProblems } from './references.ts'
import type { OPackage, PackageClass, PackageDeployment, PackageFunction } from './schema.ts'

const PACKAGE_ANNOTATION = 'oaas.io/package'
const DEPLOYMENT_ANNOTATION = 'oaas.io/deployment-key'

/** A deployment of a package as the ClassRuntime that it asks for; the namespace is for whoever applies it to say. */
export interface PackagedRuntime {
  readonly deploymentKey: string
  readonly name: string
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: ClassRuntimeSpec
}

export interface UnpackedPackage {
  readonly runtimes: readonly PackagedRuntime[]
  /** Deployments that are not for this environment, or not wanted any more. */
  readonly skipped: ReadonlyArray<{ readonly deploymentKey: string; readonly because: string }>
  /** When there is any, there are no runtimes: a package is taken as a whole or not at all. */
  readonly problems: readonly RefusedField[]
}

/** Turns an OPackage, as YAML or as an object, into one ClassRuntime for each of its deployments. */
export function unpack(source: unknown, { environment }: { readonly environment?: string } = {}): UnpackedPackage {
  const parsed = parsePackage(source)
  if (parsed.problems !== undefined) return { runtimes: [], skipped: [], problems: parsed.problems }
  const pkg = parsed.package
  const { deployments = [] } = pkg
  const problems = [...referenceProblems(pkg), ...nameProblems(deployments)]
  if (problems.length > 0) return { runtimes: [], skipped: [], problems }
  const sorted = deployments.map((deployment) => ({ deployment, because: reasonToSkip(deployment, environment) }))
  return {
    runtimes: sorted.flatMap(({ deployment, because }) => {
      const target = classOf(pkg, deployment.class_key)
      return because !== undefined || target === undefined ? [] : [runtimeOf(pkg, target, deployment, environment)]
    }),
    skipped: sorted.flatMap(({ deployment: { key }, because }) =>
      because === undefined ? [] : [{ deploymentKey: key, because }],
    ),
    problems: [],
  }
}

function reasonToSkip({ condition, target_envs: targets = [] }: PackageDeployment, environment?: string) {
  if (condition === 'DELETED') return 'its condition is DELETED'
  if (environment === undefined || targets.length === 0 || targets.includes(environment)) return undefined
  return `it is for ${targets.join(', ')}, not for ${environment}`
}

function runtimeOf(
  pkg: OPackage,
  target: PackageClass,
  deployment: PackageDeployment,
  environment: string | undefined,
): PackagedRuntime {
  const template = environment === undefined ? undefined : deployment.env_templates?.[environment]
  const functions = functionsOf(pkg, target, deployment)
  const odgm = odgmOf(pkg, target, deployment)
  const nfr = nfrOf(target, deployment)
  return {
    deploymentKey: deployment.key,
    name: nameOf(deployment.key),
    annotations: {
      [DEPLOYMENT_ANNOTATION]: deployment.key,
      [PACKAGE_ANNOTATION]: pkg.version === undefined ? pkg.name : `${pkg.name}@${pkg.version}`,
    },
    spec: {
      package_class_key: `${pkg.name}.${target.key}`,
      ...(template !== undefined && { selected_template: template }),
      ...(functions.length > 0 && { functions }),
      ...(Object.keys(odgm).length > 0 && { odgm_config: odgm }),
      ...(Object.keys(nfr).length > 0 && { nfr_requirements: nfr }),
      ...(deployment.telemetry && { telemetry: deployment.telemetry }),
    },
  }
}

/** Each bound function once, in the order of its first binding; what the deployment says about it is laid over. */
function functionsOf(pkg: OPackage, target: PackageClass, { functions = [] }: PackageDeployment): FunctionSpec[] {
  const bound = (target.function_bindings ?? []).flatMap(({ function_key: key }) => functionOf(pkg, key) ?? [])
  return [...new Set(bound)].filter(isProvided).map((fn) => {
    const over = functions.find(({ function_key: key }) => functionOf(pkg, key) === fn)
    return { ...declared(fn), ...over, function_key: fn.key, ...merged(fn, over) }
  })
}

const declared = ({ key, description }: PackageFunction): FunctionSpec => ({
  function_key: key,
  ...(description !== undefined && { description }),
})

function merged({ provision_config, config }: PackageFunction, over: FunctionSpec | undefined) {
  const provision = { ...provision_config, ...over?.provision_config }
  const env = { ...config, ...over?.config }
  return {
    ...(Object.keys(provision).length > 0 && { provision_config: provision }),
    ...(Object.keys(env).length > 0 && { config: env }),
  }
}

type Routes = NonNullable<NonNullable<NonNullable<ClassRuntimeSpec['odgm_config']>['invocations']>['fn_routes']>

/** Callers use the names of bindings, so each of them is a route; what the deployment says about one is laid over. */
function odgmOf(pkg: OPackage, target: PackageClass, { odgm = {} }: PackageDeployment) {
  const fn_routes: Record<string, Routes[string]> = {}
  for (const { name, function_key: key, stateless } of target.function_bindings ?? []) {
    const fn = functionOf(pkg, key)
    if (fn === undefined || !isProvided(fn)) continue
    fn_routes[name] = { function_key: fn.key, ...(stateless !== undefined && { stateless }) }
  }
  for (const [name, route] of Object.entries(odgm.invocations?.fn_routes ?? {})) {
    fn_routes[name] = { ...fn_routes[name], ...route }
  }
  return { ...odgm, ...(Object.keys(fn_routes).length > 0 && { invocations: { ...odgm.invocations, fn_routes } }) }
}

function nfrOf({ state_spec: state }: PackageClass, { nfr_requirements: wanted = {} }: PackageDeployment) {
  const { min_throughput_rps, max_latency_ms, availability } = wanted
  return {
    ...(min_throughput_rps !== undefined && { min_throughput_rps }),
    ...(max_latency_ms !== undefined && { max_latency_ms }),
    ...(availability !== undefined && { availability_pct: Number((availability * 100).toPrecision(12)) }),
    ...(state?.consistency_model !== undefined && { consistency: state.consistency_model }),
  }
}

/** Names of resources have fewer letters than keys. */
const nameOf = (key: string): string =>
  key
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/-*\.[-.]*/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '')

function nameProblems(deployments: readonly PackageDeployment[]): RefusedField[] {
  const names = deployments.map(({ key }) => nameOf(key))
  return names.flatMap((name, index) => {
    const field = `deployments[${index}].key`
    if (name === '') return [{ field, message: 'must contain a letter or a digit: it becomes the name of the runtime' }]
    const first = names.indexOf(name)
    if (first === index || deployments[first]?.key === deployments[index]?.key) return []
    return [{ field, message: `becomes the name ${name}, as deployments[${first}].key does; choose another` }]
  })
}
