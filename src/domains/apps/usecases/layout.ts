import { valuesProblems } from '../schema/limits.ts'
import { hostPaths } from '../schema/user-part.ts'
import type { FieldProblem, Template } from '../types.ts'
import { pathOf } from '../values/json.ts'
import { DEFAULT_LAYOUT, pointerIn, unplaceable, type Layout } from '../values/layout.ts'
import type { LayoutInput } from './port.ts'

const MOST_PATHS = 20

/** The layout that a publisher asks for, and everything that is wrong with it. */
export function layoutFrom(
  input: LayoutInput,
  { valuesSchema, defaultValues }: Pick<Template, 'valuesSchema' | 'defaultValues'>,
): { readonly layout: Layout; readonly problems: readonly FieldProblem[] } {
  const { caelusValues = true, plan = {}, userValues = DEFAULT_LAYOUT.userValues } = input
  const problems: FieldProblem[] = valuesProblems(plan, 'layout/plan')
  if (!caelusValues && Object.keys(plan).length > 0) {
    problems.push({ field: 'layout/plan', message: 'is given to no chart when caelus_values is false' })
  }
  const hosts = userValues === 'root' && valuesSchema !== null ? hostPaths(valuesSchema) : []
  const domains = input.domainPaths ?? (hosts.length > 0 ? hosts : DEFAULT_LAYOUT.domainPaths)
  const classes = input.ingressClassPaths ?? DEFAULT_LAYOUT.ingressClassPaths
  const seen = new Set<string>()
  const read = (name: string, written: readonly string[]): string[] => {
    if (written.length > MOST_PATHS) {
      problems.push({
        field: `layout/${name}`,
        message: `has ${written.length} paths; at most ${MOST_PATHS} are possible`,
      })
      return []
    }
    return written.flatMap((text, index) => {
      const pointer = pointerIn(text)
      const message = pointer === undefined ? NO_PATH : unusable(pointer)
      if (message !== undefined) problems.push({ field: `layout/${name}/${index}`, message })
      return pointer === undefined || message !== undefined ? [] : [pointer]
    })
  }
  const unusable = (pointer: string): string | undefined => {
    const [first] = pathOf(pointer)
    if (first === 'caelus') return 'lies in caelus, where the platform writes what it always writes'
    if (first === 'user' && userValues === 'user') return 'lies in user, where the tenant writes'
    const clash = [...seen].find(
      (other) => `${pointer}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${pointer}/`),
    )
    seen.add(pointer)
    if (clash !== undefined) return `is the same place as ${clash}, or inside of it`
    return unplaceable(pointer, defaultValues)
  }
  const layout: Layout = {
    domainPaths: read('domain_paths', domains),
    ingressClassPaths: read('ingress_class_paths', classes),
    caelusValues,
    plan,
    userValues,
  }
  return { layout, problems }
}

const NO_PATH = 'must be a path such as nextcloud.host, ingress.hosts[0].host or /ingress/host'
