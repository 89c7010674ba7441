import { readFile } from 'node:fs/promises'
import { asUser, found, needsAdmin, note, type Actor } from '../../../store/index.ts'
import { applyDefinitions, tryDefinitions, type DefinitionChange } from '../definitions/install.ts'
import { raise } from '../failures.ts'
import { contentsOf } from '../helm/chart-contents.ts'
import { chartOf } from '../plan.ts'
import { findTemplate } from '../store/index.ts'
import type { UseCaseDeps } from './deps.ts'
import type { TemplateRef } from './port.ts'

/**
 * Neither the chart nor the cluster is waited for inside of a transaction. The audit comes before the change: what is cut off
 * in between can be repeated, and a change without a trace cannot be found.
 */
export async function installTemplateDefinitions(
  { pool, charts, cluster }: UseCaseDeps,
  actor: Actor,
  { id, productId }: TemplateRef,
  { dryRun }: { readonly dryRun: boolean },
  signal?: AbortSignal,
): Promise<readonly DefinitionChange[]> {
  needsAdmin(actor, 'install definitions')
  const template = await asUser(pool, actor, async (tx) => {
    const one = await findTemplate(tx, id)
    return found(productId === undefined || one?.productId === productId ? one : undefined, 'template', id)
  })
  const client = cluster?.()
  if (client === undefined) throw raise.ControlPlaneUnreachable('no control plane is connected')
  const { archive } = await charts.fetch(chartOf(template), signal)
  const { definitions } = await contentsOf(await readFile(archive))
  const changes = await tryDefinitions(client, definitions, signal)
  const changed = changes.filter(({ is }) => is !== 'same').map(({ name }) => name)
  if (dryRun || changed.length === 0) return changes
  const object = { kind: 'Template', id }
  await asUser(pool, actor, (tx) =>
    note(tx, actor, { action: 'installedDefinitions', object, detail: { definitions: changed.join(', ') } }),
  )
  await applyDefinitions(client, definitions, changes, signal)
  return changes
}
