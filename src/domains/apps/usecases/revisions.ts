import { diffFields, pathText } from '../../../kube/fields/index.ts'
import {
  actorName,
  asUser,
  checkGeneration,
  found,
  type Actor,
  type Listed,
  type PageOptions,
  type Precondition,
} from '../../../store/index.ts'
import {
  findDeployment,
  findRevision,
  listRevisions as listRevisionRows,
  lockDeployment,
  markRolledBack,
  type DeploymentRef,
  type Intent,
  type ListedDeployment,
  type ListedRevision,
} from '../store/index.ts'
import { pathOf } from '../values/json.ts'
import type { UseCaseDeps } from './deps.ts'
import { intendRollback } from './intent.ts'
import { refuseMissingKinds } from './missing-kinds.ts'
import type { RevisionEntry, Rollback } from './port.ts'
import { saveIntent } from './update-deployment.ts'

export function listRevisions(
  { pool, users }: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  page: PageOptions,
): Promise<Listed<RevisionEntry>> {
  return asUser(pool, actor, async (tx) => {
    const { id } = found(await findDeployment(tx, ref), 'deployment', ref.id)
    const { items, next } = await listRevisionRows(tx, id, page)
    const emails = await users.emailsOf(
      tx,
      items.map(({ changedBy }) => changedBy),
    )
    const name = actorName(actor, emails)
    return { items: items.map((revision) => entryOf(revision, name)), next }
  })
}

function entryOf(revision: ListedRevision, name: (actor: string) => string): RevisionEntry {
  const { userValues: _values, sealedValues: _sealed, desiredTemplateId: _template, before, ...rest } = revision
  return {
    ...rest,
    changedBy: name(revision.changedBy),
    changed: before === null ? null : changedFields(before, revision),
  }
}

/** A history is read by people: who changed more sees the first of it. */
const MOST_FIELDS = 50

/** Paths alone, never values. Of a write-only field it is known that another one was written. */
function changedFields(before: Intent, after: Intent): string[] {
  const values = diffFields(before.userValues, after.userValues).map(({ path }) => pathText(path))
  const pointers = new Set([...Object.keys(before.sealedValues), ...Object.keys(after.sealedValues)])
  const sealed = [...pointers]
    .filter((pointer) => before.sealedValues[pointer] !== after.sealedValues[pointer])
    .map((pointer) => pathText(pathOf(pointer)))
  return [
    ...(before.desiredTemplateId === after.desiredTemplateId ? [] : ['template']),
    ...(before.domainname === after.domainname ? [] : ['domainname']),
    ...[...values, ...sealed].toSorted().map((path) => `user_values.${path}`),
  ].slice(0, MOST_FIELDS)
}

export async function rollbackDeployment(
  deps: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  to: Rollback,
  precondition: Precondition = {},
): Promise<ListedDeployment> {
  const { pool } = deps
  const templateId = await asUser(pool, actor, async (tx) => {
    const { id, desiredTemplateId } = found(await findDeployment(tx, ref), 'deployment', ref.id)
    const revision = await findRevision(tx, id, to.generation)
    return revision?.template.id === desiredTemplateId ? undefined : revision?.template.id
  })
  if (templateId !== undefined) await refuseMissingKinds(deps, actor, templateId, ref)
  return await asUser(pool, actor, async (tx) => {
    const before = found(await lockDeployment(tx, ref), 'deployment', ref.id)
    checkGeneration(before.generation, precondition)
    const intended = await intendRollback(deps, tx, actor, before, to)
    if (intended.changed.length > 0) {
      await saveIntent(deps, tx, actor, before, intended, { rolledBackTo: to.generation })
      await markRolledBack(tx, before.id, before.generation + 1, to.generation)
    }
    return found(await findDeployment(tx, ref), 'deployment', ref.id)
  })
}
