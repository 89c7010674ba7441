import { RefusedFields } from '../../../kernel/index.ts'
import { asUser, found, needsAdmin, note, type Actor, type Tx } from '../../../store/index.ts'
import { isOffer, type Inspection } from '../inspection/inspection.ts'
import { findTemplate, insertGrant, lockTemplate, revokeGrant, type NewGrant } from '../store/index.ts'
import type { FieldProblem, Template } from '../types.ts'
import type { UseCaseDeps } from './deps.ts'
import type { GrantName, TemplateRef } from './port.ts'

const objectOf = (id: string) => ({ kind: 'Template', id })

const nameOf = ({ kind, name }: GrantName): string => `${kind}/${name}`

/** What was reviewed of each; what cannot be granted is told all at once. */
export function reviewed(inspection: Inspection | null, names: readonly GrantName[]): readonly NewGrant[] {
  const findings = inspection?.findings ?? []
  const problems: FieldProblem[] = []
  const grants = names.flatMap((wanted, index): NewGrant[] => {
    const offer = findings.find(({ grant }) => isOffer(grant, wanted))?.grant
    if (offer?.grantable === true) {
      const { group, kind, name, objects } = offer
      return [{ group, kind, name, objects }]
    }
    const why =
      inspection === null
        ? 'was not tried: publish the chart again while a control plane is connected'
        : unknown(inspection)
    problems.push({ field: `grants/${index}`, message: `${nameOf(wanted)} ${why}` })
    return []
  })
  if (problems.length > 0) throw new RefusedFields(problems)
  return grants
}

function unknown({ findings }: Inspection): string {
  const offered = findings.flatMap(({ grant }) => (grant?.grantable === true ? [nameOf(grant)] : []))
  return offered.length === 0
    ? 'cannot be granted: the chart has nothing that can'
    : `cannot be granted: the chart has ${offered.join(', ')}`
}

export async function grantTemplate(
  { pool }: UseCaseDeps,
  actor: Actor,
  ref: TemplateRef,
  names: readonly GrantName[],
): Promise<Template> {
  needsAdmin(actor, 'grant objects of the whole cluster to templates')
  return await asUser(pool, actor, async (tx) => {
    const template = await locked(tx, ref)
    await insertGrants(tx, actor, template, reviewed(template.inspection, names))
    return found(await findTemplate(tx, ref.id), 'template', ref.id)
  })
}

/** Which of these the template does not have yet. */
export function ungranted(template: Template | undefined, grants: readonly NewGrant[]): readonly NewGrant[] {
  const standing = (template?.grants ?? []).filter(({ revokedAt }) => revokedAt === null)
  return grants.filter((grant) => !standing.some(({ kind, name }) => kind === grant.kind && name === grant.name))
}

/** What is granted already stays as it is. */
export async function insertGrants(
  tx: Tx,
  actor: Actor,
  template: Template,
  grants: readonly NewGrant[],
): Promise<void> {
  for (const grant of ungranted(template, grants)) {
    await insertGrant(tx, template.id, grant)
    await note(tx, actor, {
      action: 'granted',
      object: objectOf(template.id),
      after: grant,
      detail: { object: nameOf(grant) },
    })
  }
}

export async function revokeTemplateGrant(
  { pool }: UseCaseDeps,
  actor: Actor,
  ref: TemplateRef,
  grantId: string,
): Promise<Template> {
  needsAdmin(actor, 'revoke grants of templates')
  return await asUser(pool, actor, async (tx) => {
    const template = await locked(tx, ref)
    const grant = template.grants?.find(({ id }) => id === grantId)
    const isRevoked = await revokeGrant(tx, template.id, grantId)
    found(isRevoked ? grant : undefined, 'grant', grantId)
    await note(tx, actor, {
      action: 'revoked',
      object: objectOf(template.id),
      before: grant,
      detail: { object: grant === undefined ? '' : nameOf(grant) },
    })
    return found(await findTemplate(tx, ref.id), 'template', ref.id)
  })
}

/** Also when it is deleted: what was ordered from it lives on. */
async function locked(tx: Tx, { id, productId }: TemplateRef): Promise<Template> {
  const template = (await lockTemplate(tx, id)) ?? (await findTemplate(tx, id))
  const isThere = productId === undefined || template?.productId === productId
  return found(isThere ? template : undefined, 'template', id)
}
