import type { ClassRuntimeSpec } from '../class-runtime.ts'
import type { ManagedKind } from '../types.ts'
import { dev } from './dev.ts'
import { edge } from './edge.ts'
import { k8sDeployment } from './k8s-deployment.ts'
import { knative } from './knative.ts'
import type { RenderProblem, Template, Traits } from './template.ts'

/** Of equal scores the first one wins. */
export const TEMPLATES: readonly Template[] = [k8sDeployment, knative, edge, dev]

/** Every kind that some template renders. */
export const managedKinds: readonly ManagedKind[] = [...new Set(TEMPLATES.flatMap(({ managed }) => managed))]

export type Choice =
  | { readonly template: Template; readonly problem?: undefined }
  | { readonly problem: RenderProblem; readonly template?: undefined }

/** What the spec names wins; a name that cannot be followed is a problem, never silently something else. */
export function chooseTemplate(spec: ClassRuntimeSpec, { profile, served }: Omit<Traits, 'spec'>): Choice {
  const { selected_template: wanted = '' } = spec
  const isPossible = (template: Template) => template.needs.every((kind) => served.includes(kind))
  if (wanted === '') {
    const traits = { profile, served, spec }
    const best = TEMPLATES.filter(isPossible)
      .map((template) => ({ template, score: template.score(traits) }))
      .reduce((a, b) => (b.score > a.score ? b : a), { template: k8sDeployment, score: -Infinity })
    return { template: best.template }
  }
  const template = TEMPLATES.find(({ id, aliases }) => [id, ...aliases].includes(wanted))
  if (template === undefined) return { problem: { field: FIELD, message: unknown(wanted) } }
  if (isPossible(template)) return { template }
  const missing = template.needs.filter((kind) => !served.includes(kind)).join(', ')
  const others = TEMPLATES.filter(isPossible).map(({ id }) => id)
  const message = `template ${template.id} needs ${missing}, which this control plane does not serve; install it, or choose one of: ${others.join(', ')}`
  return { problem: { field: FIELD, message } }
}

const FIELD = 'spec.selected_template'

const unknown = (wanted: string): string => {
  const names = TEMPLATES.flatMap(({ id, aliases }) => [id, ...aliases]).join(', ')
  return `unknown template "${wanted}"; choose one of: ${names}, or leave it out to have one chosen`
}
