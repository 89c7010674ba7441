import type { Json } from './json.ts'
import type { KindInfo } from './registry.ts'

/** An error that becomes the `Status` object of the answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly reason: string | undefined
  readonly details: Json | undefined

  constructor(status: number, reason: string | undefined, message: string, details?: Json) {
    super(message)
    this.status = status
    this.reason = reason
    this.details = details
  }

  body(): Json {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason !== undefined && { reason: this.reason }),
      ...(this.details !== undefined && { details: this.details }),
      code: this.status,
    }
  }
}

/** A resource as the server names it in messages: `deployments.apps`, `configmaps`. */
const resourceText = (kind: KindInfo): string => (kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`)

const kindText = (kind: KindInfo): string => (kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`)

const detailsOf = (kind: KindInfo, name: string): Json => ({
  name,
  ...(kind.group !== '' && { group: kind.group }),
  kind: kind.plural,
})

export const badRequest = (message: string): Refusal => new Refusal(400, 'BadRequest', message)

export const notFound = (kind: KindInfo, name: string): Refusal =>
  new Refusal(404, 'NotFound', `${resourceText(kind)} "${name}" not found`, detailsOf(kind, name))

export const noSuchPath = (): Refusal =>
  new Refusal(404, 'NotFound', 'the server could not find the requested resource', {})

export const alreadyExists = (kind: KindInfo, name: string): Refusal =>
  new Refusal(409, 'AlreadyExists', `${resourceText(kind)} "${name}" already exists`, detailsOf(kind, name))

export const conflict = (kind: KindInfo, name: string, why: string): Refusal =>
  new Refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resourceText(kind)} "${name}": ${why}`,
    detailsOf(kind, name),
  )

export const modified = (kind: KindInfo, name: string): Refusal =>
  conflict(kind, name, 'the object has been modified; please apply your changes to the latest version and try again')

export const forbidden = (kind: KindInfo, name: string, why: string, causes?: readonly Json[]): Refusal =>
  new Refusal(403, 'Forbidden', `${resourceText(kind)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`, {
    ...detailsOf(kind, name),
    ...(causes !== undefined && { causes }),
  })

export const gone = (message: string): Refusal => new Refusal(410, 'Expired', message)

export interface FieldProblem {
  /** `FieldValueRequired`, `FieldValueInvalid`, … */
  readonly reason: string
  readonly field: string
  readonly message: string
}

export const invalid = (kind: KindInfo, name: string, problems: readonly FieldProblem[]): Refusal => {
  const texts = problems.map(({ field, message }) => `${field}: ${message}`)
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new Refusal(422, 'Invalid', `${kindText(kind)} "${name}" is invalid: ${list}`, {
    ...(name !== '' && { name }),
    ...(kind.group !== '' && { group: kind.group }),
    kind: kind.kind,
    causes: problems,
  })
}
