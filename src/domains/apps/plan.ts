import { failureOf, type Failure, type Masker } from '../../kernel/index.ts'
import { raise } from './failures.ts'
import type { ChartLocation } from './helm/port.ts'
import type { JsonObject } from './values/json.ts'
import type { AppsSettings } from './parts.ts'
import { masker } from './values/redaction.ts'
import type { LoadedDeployment } from './rows.ts'
import { checkRelease, checkSettings } from './schema/user-part.ts'
import { openAll, type Secrets } from './values/seal.ts'
import { joinSecrets, secretsOfRelease } from './values/secrets.ts'
import type { Template } from './types.ts'
import { appliedDigest, releaseValues, systemValues, type SystemValues } from './values/values.ts'

/** What a row asks Helm for. `values` hold secrets: for Helm, never for people. */
export interface Plan {
  readonly values: JsonObject
  readonly digest: string
}

export interface Planned {
  /** What is wrong with the row or its template, if nothing can be applied. */
  readonly plan: Plan | { readonly problem: Failure }
  /** Hides the secrets of tenant and template in texts. */
  readonly mask: Masker
}

/** Computed from the row alone: it costs no call, so every pass can afford it. */
export function planOf({ deployment, template }: LoadedDeployment, settings: AppsSettings): Planned {
  let secrets: Secrets
  try {
    secrets = secretsOf(deployment.id, deployment.sealedValues, settings)
  } catch (error) {
    return { plan: { problem: failureOf(error) }, mask: masker([]) }
  }
  const userValues = joinSecrets({ open: deployment.userValues, secrets })
  const system = systemValues(deployment, settings.ingressClass, template.layout)
  const { given, effective } = releaseValues(template, { userValues, system })
  const mask = masker(secretsOfRelease(template.valuesSchema, effective, secrets))
  if (template.deletedAt !== null && deployment.appliedTemplateId !== template.id) {
    return { plan: { problem: raise.TemplateMissing(`template ${template.id} was deleted`).failure }, mask }
  }
  const problem = valuesProblem(template, { userValues, effective, system }, mask)
  if (problem !== undefined) return { plan: { problem }, mask }
  return { plan: { values: given, digest: appliedDigest(template, given, settings.digestSalt) }, mask }
}

function secretsOf(id: string, sealed: Readonly<Record<string, string>>, { ring }: AppsSettings): Secrets {
  if (Object.keys(sealed).length === 0) return {}
  if (ring === undefined) throw raise.ValuesUnreadable('failed to open sealed values: CAELUS_VALUES_KEY is not set')
  return openAll(ring, id, sealed)
}

/** The tenant sees what the tenant can correct; everything else is an error of the template. */
function valuesProblem(
  template: Template,
  values: { readonly userValues: JsonObject; readonly effective: JsonObject; readonly system: SystemValues },
  mask: Masker,
): Failure | undefined {
  const text = (problems: readonly { readonly field: string; readonly message: string }[]): string =>
    mask(problems.map(({ field, message }) => `${field} ${message}`).join('; '))
  const theirs = checkSettings(template, values.userValues)
  if (theirs.length > 0) return raise.SchemaViolation(text(theirs)).failure
  const all = checkRelease(template, values.effective, values.system)
  if (all.length === 0) return undefined
  return all.every(({ field }) => field.startsWith('/user'))
    ? raise.SchemaViolation(text(all)).failure
    : raise.TemplateBroken(text(all)).failure
}

export const chartOf = ({ chartRef, chartVersion, chartDigest }: Template): ChartLocation => ({
  ref: chartRef,
  version: chartVersion,
  digest: chartDigest,
})
