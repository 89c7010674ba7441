import { refuse, RefusedFields, sameValue } from '../../../kernel/index.ts'
import {
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  KubeError,
  type At,
  type Draft,
  type Reader,
  type Writer,
} from '../../../kube/index.ts'
import { asUser, checkGeneration, note, type Actor, type Pool, type Precondition } from '../../../store/index.ts'
import { ClassRuntime } from '../class-runtime.ts'
import { raise } from './failures.ts'
import type { RuntimeInput, Written } from './port.ts'

export interface WriteParts {
  readonly client: Reader & Writer
  readonly pool: Pool
}

interface WriteOptions extends Precondition {
  readonly dryRun?: boolean
}

/** The controller may write the status between our read and our write. */
const TRIES = 8

export const textOf = ({ namespace, name }: At): string => `${namespace}/${name}`

export async function createRuntime(
  { client, pool }: WriteParts,
  actor: Actor,
  input: RuntimeInput,
  { dryRun = false }: WriteOptions = {},
): Promise<ClassRuntime> {
  const create: Write<ClassRuntime> = (options) =>
    client.create(ClassRuntime, draftOf(input), options).catch((error: unknown) => {
      throw refusalFor(input, error)
    })
  const tried = await create({ dryRun: true })
  if (dryRun) return tried
  await auditOnce(pool, actor, 'created', input)({ after: input.spec })
  return await create({ dryRun: false })
}

/** Replaces the spec of what is there, or makes it. Writes of others to its status are no reason to refuse. */
export async function putRuntime(
  parts: WriteParts,
  actor: Actor,
  input: RuntimeInput,
  options: WriteOptions = {},
): Promise<Written> {
  const { client, pool } = parts
  const { ifGeneration, dryRun = false } = options
  const noteOnce = auditOnce(pool, actor, 'changed', input)
  for (let attempt = 1; ; attempt++) {
    const present = await client.get(ClassRuntime, input)
    if (present === undefined) {
      if (ifGeneration !== undefined) throw refuse.ChangedMeanwhile(`runtime ${textOf(input)} does not exist`)
      return { runtime: await createRuntime(parts, actor, input, { dryRun }), change: 'created' }
    }
    checkGeneration(present.metadata.generation, options)
    if (present.metadata.deletionTimestamp !== undefined) {
      throw raise.RuntimeBeingDeleted(`runtime ${textOf(input)} is being deleted`)
    }
    const next = { ...present, metadata: { ...present.metadata, ...metadataOf(input) }, spec: input.spec }
    const replace: Write<ClassRuntime> = (how) => client.replace(ClassRuntime, next, how)
    try {
      const tried = await replace({ dryRun: true })
      if (isSame(present, tried)) return { runtime: present, change: 'unchanged' }
      if (dryRun) return { runtime: tried, change: 'changed' }
      await noteOnce({ before: present.spec, after: input.spec })
      return { runtime: await replace({ dryRun: false }), change: 'changed' }
    } catch (error) {
      if (!isConflict(error) || attempt === TRIES) throw refusalFor(input, error)
    }
  }
}

/** Answers with what it was when its deletion began. */
export async function removeRuntime(
  { client, pool }: WriteParts,
  actor: Actor,
  where: At,
  precondition: Precondition,
  now: string,
): Promise<ClassRuntime> {
  const present = await client.get(ClassRuntime, where)
  if (present === undefined) throw missing(where)
  checkGeneration(present.metadata.generation, precondition)
  const { uid = '', deletionTimestamp = now } = present.metadata
  if (present.metadata.deletionTimestamp === undefined) {
    const remove: Write<unknown> = (options) =>
      client.delete(ClassRuntime, where, { uid, propagation: 'Background', ...options })
    await remove({ dryRun: true })
    await auditOnce(pool, actor, 'deleted', where)({ before: present.spec })
    await remove({ dryRun: false })
  }
  return { ...present, metadata: { ...present.metadata, deletionTimestamp } }
}

export const missing = (where: At) => refuse.NotFound(`there is no runtime ${textOf(where)}`)

const isSame = (a: ClassRuntime, b: ClassRuntime): boolean =>
  sameValue([a.spec, a.metadata.labels, a.metadata.annotations], [b.spec, b.metadata.labels, b.metadata.annotations])

const metadataOf = ({ labels, annotations }: RuntimeInput) => ({
  ...(labels !== undefined && { labels }),
  ...(annotations !== undefined && { annotations }),
})

const draftOf = (input: RuntimeInput): Draft<ClassRuntime> => ({
  apiVersion: 'oaas.io/v1alpha1',
  kind: 'ClassRuntime',
  metadata: { name: input.name, namespace: input.namespace, ...metadataOf(input) },
  spec: input.spec,
})

type Write<T> = (options: { readonly dryRun: boolean }) => Promise<T>

/**
 * Commits the audit row of a change, once however often its write is repeated.
 *
 * The row comes before the write, because no transaction may stay open during a remote call. A dry run comes before the
 * row and finds refusals, so that a row without its change needs a failure between the two.
 */
function auditOnce(pool: Pool, actor: Actor, action: string, where: At) {
  let written: Promise<void> | undefined
  const object = { kind: ClassRuntime.kind, id: textOf(where) }
  return (digests: { readonly before?: unknown; readonly after?: unknown }): Promise<void> =>
    (written ??= asUser(pool, actor, (tx) => note(tx, actor, { action, object, ...digests })))
}

/** What the API server refuses, told by the fields that it names. */
function refusalFor(where: At, error: unknown): unknown {
  if (isAlreadyExists(error)) return raise.RuntimeExists(`runtime ${textOf(where)} exists already`)
  if (isNotFound(error)) {
    return new RefusedFields([{ field: 'metadata.namespace', message: `${where.namespace} does not exist` }])
  }
  if (!isInvalid(error) || !(error instanceof KubeError)) return error
  const fields = (error.details.causes ?? []).flatMap(({ field, message }) =>
    field === undefined ? [] : [{ field, message: message ?? 'is not valid' }],
  )
  return fields.length === 0 ? error : new RefusedFields(fields)
}
