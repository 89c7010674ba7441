import { RefusedFields, sameValue, type FailureError } from '../../../kernel/index.ts'
import type { Actor, Tx } from '../../../store/index.ts'
import { compareVersions } from '../helm/chart-version.ts'
import { raise } from '../failures.ts'
import { finalProblems } from '../inspection/inspection.ts'
import { normaliseDomain } from '../identity.ts'
import type { JsonObject } from '../values/json.ts'
import { valuesProblems } from '../schema/limits.ts'
import { checkSettings, userPartOf } from '../schema/user-part.ts'
import { openAll, sealAll, type KeyRing, type Secrets } from '../values/seal.ts'
import { splitKeeping } from '../values/keep-sealed.ts'
import { joinSecrets, keepSecrets, splitSecrets, type SplitValues } from '../values/secrets.ts'
import { findOrderable, findRevision, findTemplate, type Intent, type Revision } from '../store/index.ts'
import type { Deployment, Owner, SealedValues, Template } from '../types.ts'
import { found } from '../../../store/index.ts'
import type { DeploymentChange, DeploymentInput, Rollback } from './port.ts'
import type { UseCaseDeps } from './deps.ts'
import { checkDomain, checkLimit } from './tenants.ts'

/** What a row should say after a wish, judged and not yet written: saving and previewing share it. */
export interface Intended {
  readonly intent: Intent
  readonly template: Template
}

export async function intendCreate(
  deps: UseCaseDeps,
  tx: Tx,
  id: string,
  input: DeploymentInput,
): Promise<Intended & { readonly owner: Owner; readonly clusterId: string | null }> {
  const { ring, users, clusters } = deps
  const owner = found(await users.find(tx, input.userId), 'user', input.userId)
  refuseExcess(input.userValues)
  const clusterId = input.clusterId ?? null
  if (clusterId !== null && (await clusters?.usable(tx, owner.id, clusterId)) === undefined) throw noCluster()
  const template = await orderable(tx, input.templateId)
  const { valuesSchema } = userPartOf(template)
  const userValues = keepSecrets(valuesSchema, input.userValues ?? {}, NOTHING)
  const domainname = judge(input.domainname, template, userValues)
  await checkDomain(deps, tx, domainname, owner.id)
  await checkLimit(deps, tx, owner)
  const { open, secrets } = splitSecrets(valuesSchema, userValues)
  const sealedValues = sealSecrets(ring, { id, sealedValues: {} }, secrets)
  return {
    owner,
    clusterId,
    template,
    intent: { domainname, userValues: open, sealedValues, desiredTemplateId: template.id },
  }
}

export const noCluster = (): RefusedFields =>
  new RefusedFields([
    { field: 'cluster_id', message: 'is no cluster of an organization in which the user is an owner or a member' },
  ])

/** `before`: the row as it is. `changed`: what people would call different, empty if there is nothing to write. */
export async function intendUpdate(
  deps: UseCaseDeps,
  tx: Tx,
  actor: Actor,
  before: Deployment,
  change: DeploymentChange,
): Promise<Intended & { readonly changed: readonly string[] }> {
  refuseExcess(change.userValues)
  const { ring } = deps
  if (before.deletedAt !== null) throw raise.BeingDeleted(`${before.deploymentUid} is being deleted`)
  const present = found(await findTemplate(tx, before.desiredTemplateId), 'template', before.desiredTemplateId)
  const template = await nextTemplate(tx, actor, present, change.templateId)
  const { valuesSchema } = userPartOf(template)
  const isMoved = template.id !== present.id
  const isRewritten = change.userValues !== undefined || isMoved
  const stored = { open: before.userValues, secrets: isRewritten ? openSecrets(ring, before) : {} }
  const userValues =
    change.userValues === undefined ? joinSecrets(stored) : keepSecrets(valuesSchema, change.userValues, stored)
  const domainname = judge(change.domainname ?? before.domainname, isRewritten ? template : undefined, userValues)
  if (domainname !== before.domainname) await checkDomain(deps, tx, domainname, before.userId)
  const changed = [
    ...(domainname === before.domainname ? [] : ['domainname']),
    ...(sameValue(userValues, joinSecrets(stored)) ? [] : ['user_values']),
    ...(isMoved ? ['template'] : []),
  ]
  // Values that do not change are not opened: the domain can be changed while their key is missing.
  if (!isRewritten) return { template, changed, intent: { ...intentOf(before), domainname } }
  const { open, secrets } = splitKeeping(valuesSchema, userValues, stored.secrets)
  const sealedValues = sealSecrets(ring, before, secrets)
  const intent = { domainname, userValues: open, sealedValues, desiredTemplateId: template.id }
  return { template, changed, intent }
}

/** The template and the settings of an earlier generation, judged like any other change. */
export async function intendRollback(
  deps: UseCaseDeps,
  tx: Tx,
  actor: Actor,
  before: Deployment,
  { generation, withDomain = false }: Rollback,
): Promise<Intended & { readonly changed: readonly string[] }> {
  const { ring } = deps
  if (before.deletedAt !== null) throw raise.BeingDeleted(`${before.deploymentUid} is being deleted`)
  const revision = await findRevision(tx, before.id, generation)
  if (revision === undefined) {
    const why = raise.RevisionMissing(`generation ${generation} of ${before.deploymentUid} is not kept`)
    throw rollbackRefused('is not in the history', why)
  }
  const template = await earlierTemplate(tx, actor, before, revision)
  const secrets = openSecrets(ring, { id: before.id, sealedValues: revision.sealedValues })
  const userValues = joinSecrets({ open: revision.userValues, secrets })
  const domainname = judge(withDomain ? revision.domainname : before.domainname, template, userValues)
  if (domainname !== before.domainname) await checkDomain(deps, tx, domainname, before.userId)
  const { userValues: open, sealedValues } = revision
  const intent = { domainname, userValues: open, sealedValues, desiredTemplateId: template.id }
  const changed = [
    ...(domainname === before.domainname ? [] : ['domainname']),
    ...(sameValue([open, sealedValues], [before.userValues, before.sealedValues]) ? [] : ['user_values']),
    ...(template.id === before.desiredTemplateId ? [] : ['template']),
  ]
  return { template, changed, intent }
}

const rollbackRefused = (message: string, why: FailureError): RefusedFields =>
  new RefusedFields([{ field: 'generation', message }], why)

/** The template of an earlier generation, if this actor may have the deployment moved to it. */
async function earlierTemplate(tx: Tx, actor: Actor, before: Deployment, revision: Revision): Promise<Template> {
  const present = found(await findTemplate(tx, before.desiredTemplateId), 'template', before.desiredTemplateId)
  const { generation, template } = revision
  if (template.id === present.id) return present
  const name = `generation ${generation} has another template (chart ${template.chartVersion})`
  if (template.isDeleted) {
    throw rollbackRefused('has a template that was deleted', raise.TemplateDeleted(`${name}, which was deleted`))
  }
  // What was never ready was never gone over to: going back to what is applied is no downgrade.
  const isApplied = template.id === before.appliedTemplateId
  try {
    return await nextTemplate(
      tx,
      actor,
      isApplied ? { ...present, chartVersion: template.chartVersion } : present,
      template.id,
    )
  } catch (error) {
    if (!(error instanceof RefusedFields)) throw error
    const [problem] = error.fields
    throw new RefusedFields([{ field: 'generation', message: `${name}, which ${problem?.message}` }], error)
  }
}

/** With envelopes in the place of secrets: their digest cannot be guessed from. */
export const intentOf = ({ domainname, userValues, sealedValues, desiredTemplateId }: Intent): Intent => ({
  domainname,
  userValues,
  sealedValues,
  desiredTemplateId,
})

const NOTHING: SplitValues = { open: {}, secrets: {} }

async function orderable(tx: Tx, templateId: string): Promise<Template> {
  const template = await findOrderable(tx, templateId)
  if (template === undefined) {
    throw templateRefused('names no template that can be ordered')
  }
  const [problem, ...more] = finalProblems(template)
  if (problem !== undefined) {
    const named = [problem, ...more].map(({ object, message }) => (object === null ? message : `${object}: ${message}`))
    const why = raise.TemplateNotOrderable(`no release of template ${templateId} can be created: ${named.join('; ')}`)
    throw templateRefused(`cannot be created: ${named.join('; ')}`, why)
  }
  return template
}

export const templateRefused = (message: string, why?: FailureError): RefusedFields =>
  new RefusedFields([{ field: 'template_id', message }], why)

async function nextTemplate(tx: Tx, actor: Actor, present: Template, wanted: string | undefined): Promise<Template> {
  if (wanted === undefined || wanted === present.id) return present
  if (!actor.admin) {
    const why = raise.UpgradeNotAllowed('only an admin may move a deployment to another template')
    throw templateRefused('may be changed by an admin alone', why)
  }
  const template = await orderable(tx, wanted)
  if (template.productId !== present.productId) {
    throw templateRefused(
      'belongs to another product',
      raise.ForeignProduct(`template ${wanted} is of another product`),
    )
  }
  if (compareVersions(template.chartVersion, present.chartVersion) < 0) {
    const message = `chart ${template.chartVersion} is older than the present ${present.chartVersion}`
    throw templateRefused('has an older chart than the present one', raise.DowngradeRefused(message))
  }
  return template
}

/** Before anything walks through them. */
function refuseExcess(userValues: JsonObject | undefined): void {
  const problems = userValues === undefined ? [] : valuesProblems(userValues, '/user')
  if (problems.length > 0) throw new RefusedFields(problems)
}

/** Everything that is wrong, told at once. Answers with the domain as it is stored. */
function judge(written: string, template: Template | undefined, userValues: JsonObject): string {
  const { domain = '', problem } = normaliseDomain(written)
  const problems = [
    ...(problem === undefined ? [] : [problem]),
    ...(template === undefined ? [] : checkSettings(template, userValues)),
  ]
  if (problems.length > 0) throw new RefusedFields(problems)
  return domain
}

type Sealed = Pick<Deployment, 'id' | 'sealedValues'>

const sealSecrets = (ring: KeyRing | undefined, { id, sealedValues }: Sealed, secrets: Secrets): SealedValues =>
  Object.keys(secrets).length === 0 ? {} : sealAll(needed(ring), id, secrets, sealedValues)

export const openSecrets = (ring: KeyRing | undefined, { id, sealedValues }: Sealed): Secrets =>
  Object.keys(sealedValues).length === 0 ? {} : openAll(needed(ring), id, sealedValues)

function needed(ring: KeyRing | undefined): KeyRing {
  if (ring !== undefined) return ring
  throw raise.ValuesUnreadable('failed to seal or open write-only values: CAELUS_VALUES_KEY is not set')
}
