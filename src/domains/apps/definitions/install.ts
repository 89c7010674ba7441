import { failureOf, sameValue } from '../../../kernel/index.ts'
import {
  CustomResourceDefinition,
  isConflict,
  isForbidden,
  isInvalid,
  type KubeObject,
  type Reader,
  type Writer,
} from '../../../kube/index.ts'
import { raise } from '../failures.ts'

/** What installing one definition of a chart makes, or would make. */
export interface DefinitionChange {
  /** `widgets.example.com`. */
  readonly name: string
  readonly is: 'new' | 'changed' | 'same'
  /** That the chart's definition has. */
  readonly versions: readonly string[]
}

type Definition = CustomResourceDefinition

/**
 * Tries the definitions of a chart in dry runs, all of them, so that either each can be applied or none is. A definition that
 * lacks a version of the present one is refused: objects may be stored in it, and releases may use it.
 */
export async function tryDefinitions(
  client: Reader & Writer,
  definitions: readonly KubeObject[],
  signal?: AbortSignal,
): Promise<readonly DefinitionChange[]> {
  const tried = await Promise.all(definitions.map((one) => attempt(client, one as Definition, signal)))
  const problems = tried.flatMap((one) => ('problem' in one ? [one.problem] : []))
  if (problems.length > 0) throw raise.DefinitionsRefused(`nothing was installed: ${problems.join('; ')}`)
  return tried.flatMap((one) => ('problem' in one ? [] : [one]))
}

/** Applies those of the definitions that change something. Safe to run twice. */
export async function applyDefinitions(
  client: Writer,
  definitions: readonly KubeObject[],
  changes: readonly DefinitionChange[],
  signal?: AbortSignal,
): Promise<void> {
  const due = new Set(changes.flatMap(({ name, is }) => (is === 'same' ? [] : [name])))
  for (const definition of definitions.filter(({ metadata }) => due.has(metadata.name))) {
    await client.apply(CustomResourceDefinition, definition as Definition, { ...(signal && { signal }) })
  }
}

async function attempt(
  client: Reader & Writer,
  definition: Definition,
  signal?: AbortSignal,
): Promise<DefinitionChange | { readonly problem: string }> {
  const { name } = definition.metadata
  if (!Array.isArray(definition.spec?.versions)) return { problem: `${name} lists no versions` }
  const versions = versionsOf(definition)
  try {
    const live = await client.get(CustomResourceDefinition, { name }, signal)
    const lost = live === undefined ? [] : lostVersions(live, versions)
    if (lost.length > 0)
      return {
        problem: `${name} has ${lost.join(', ')} in the cluster, which that of the chart lacks: it may be older`,
      }
    const would = await client.apply(CustomResourceDefinition, definition, { dryRun: true, ...(signal && { signal }) })
    if (live === undefined) return { name, is: 'new', versions }
    return { name, is: sameValue(would.spec, live.spec) ? 'same' : 'changed', versions }
  } catch (error) {
    if (isForbidden(error))
      throw raise.DefinitionsDisabled(`the API may not write definitions: ${error.message}`, { cause: error })
    if (isConflict(error)) return { problem: `${name} has another owner: ${error.message}` }
    if (isInvalid(error)) return { problem: `${name}: ${failureOf(error).message}` }
    throw error
  }
}

const versionsOf = ({ spec }: Definition): string[] => spec.versions.map(({ name }) => name)

function lostVersions(live: Definition, versions: readonly string[]): string[] {
  const served = live.spec.versions.filter((one) => one.served).map(({ name }) => name)
  const used = new Set([...served, ...(live.status?.storedVersions ?? [])])
  return [...used].filter((one) => !versions.includes(one))
}
