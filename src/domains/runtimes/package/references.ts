import { nearest, type RefusedField } from '../../../kernel/index.ts'
import { functionMistakes } from '../templates/functions.ts'
import { TEMPLATES } from '../templates/index.ts'
import type { OPackage, PackageDeployment, PackageFunction } from './schema.ts'

/** Whether a function has something to run that its author provides; the others are the platform's own. */
export const isProvided = ({ function_type: type = 'CUSTOM' }: PackageFunction): boolean =>
  type === 'CUSTOM' || type === 'WASM'

/** A function is named by its key, with or without the name of its package before it. */
export const functionOf = ({ name, functions = [] }: OPackage, key: string): PackageFunction | undefined =>
  functions.find((one) => one.key === key || `${name}.${one.key}` === key)

export const classOf = ({ name, classes = [] }: OPackage, key: string) =>
  classes.find((one) => one.key === key || `${name}.${one.key}` === key)

const NOTHING_TO_APPLY: RefusedField = {
  field: 'deployments',
  message: 'must list a deployment of a class; without one nothing is created',
}

/** What no schema can see: names that lead nowhere, keys that are there twice, functions with nothing to run. */
export function referenceProblems(pkg: OPackage): RefusedField[] {
  const { classes = [], functions = [], deployments = [] } = pkg
  return [
    ...(deployments.length === 0 ? [NOTHING_TO_APPLY] : []),
    ...repeated(classes.map(keyOf), 'classes'),
    ...repeated(functions.map(keyOf), 'functions'),
    ...repeated(deployments.map(keyOf), 'deployments'),
    ...functions.flatMap((fn, index) => functionProblems(fn, imageOf(pkg, fn), `functions[${index}]`)),
    ...classes.flatMap(({ function_bindings: bindings = [] }, index) => [
      ...repeated(
        bindings.map(({ name }) => name),
        `classes[${index}].function_bindings`,
        'name',
      ),
      ...bindings.flatMap(({ function_key: key }, at) => {
        if (functionOf(pkg, key) !== undefined) return []
        const field = `classes[${index}].function_bindings[${at}].function_key`
        return [{ field, message: missing('function', key, functions) }]
      }),
    ]),
    ...deployments.flatMap((deployment, index) => deploymentProblems(pkg, deployment, `deployments[${index}]`)),
  ]
}

const keyOf = ({ key }: { readonly key: string }): string => key

/** Its own, or else what some deployment gives it. */
function imageOf(pkg: OPackage, { key, provision_config: own }: PackageFunction): string {
  const overlays = (pkg.deployments ?? []).flatMap(({ functions = [] }) => functions)
  const overlay = overlays.find((one) => functionOf(pkg, one.function_key)?.key === key)
  return own?.container_image ?? overlay?.provision_config?.container_image ?? ''
}

function functionProblems(fn: PackageFunction, image: string, at: string): RefusedField[] {
  if (!isProvided(fn)) return []
  const { wasm_module_url: module = '' } = fn.provision_config ?? {}
  if (fn.function_type === 'WASM' && module === '') {
    return [{ field: `${at}.provision_config.wasm_module_url`, message: 'is required for a function of type WASM' }]
  }
  if (fn.function_type === 'CUSTOM' && image === '' && module !== '') {
    return [{ field: `${at}.function_type`, message: 'must be WASM for a function with a wasm_module_url' }]
  }
  const provision_config = { ...fn.provision_config, ...(image !== '' && { container_image: image }) }
  return functionMistakes({ function_key: fn.key, provision_config }, at)
}

function deploymentProblems(pkg: OPackage, deployment: PackageDeployment, at: string): RefusedField[] {
  const { class_key, package_name, env_templates = {}, functions = [] } = deployment
  const problems: RefusedField[] = []
  if (package_name !== undefined && package_name !== pkg.name) {
    problems.push({ field: `${at}.package_name`, message: `must be the name of this package, ${pkg.name}` })
  }
  const target = classOf(pkg, class_key)
  if (target === undefined) {
    problems.push({ field: `${at}.class_key`, message: missing('class', class_key, pkg.classes ?? []) })
  }
  const bound = (target?.function_bindings ?? []).map(({ function_key: key }) => functionOf(pkg, key)?.key)
  functions.forEach(({ function_key: key }, index) => {
    if (target === undefined || bound.includes(functionOf(pkg, key)?.key ?? key)) return
    const message = `class ${target.key} has no binding to function "${key}"; bind it, or remove it here`
    problems.push({ field: `${at}.functions[${index}].function_key`, message })
  })
  const names = TEMPLATES.flatMap(({ id, aliases }) => [id, ...aliases])
  for (const [environment, template] of Object.entries(env_templates)) {
    if (names.includes(template)) continue
    const message = `unknown template "${template}"; choose one of: ${names.join(', ')}`
    problems.push({ field: `${at}.env_templates.${environment}`, message })
  }
  return problems
}

function missing(what: 'function' | 'class', key: string, known: ReadonlyArray<{ readonly key: string }>): string {
  const keys = known.map((one) => one.key)
  const meant = nearest(key, keys)
  const hint =
    meant === undefined ? `add it to ${what === 'class' ? 'classes' : 'functions'}` : `did you mean ${meant}?`
  return `there is no ${what} "${key}" in this package; ${hint}`
}

function repeated(values: readonly string[], list: string, name = 'key'): RefusedField[] {
  return values.flatMap((value, index) => {
    const first = values.indexOf(value)
    if (first === index) return []
    return [{ field: `${list}[${index}].${name}`, message: `"${value}" is the ${name} of ${list}[${first}] too` }]
  })
}
