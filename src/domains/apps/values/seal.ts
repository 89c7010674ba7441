import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { sameValue } from '../../../kernel/index.ts'
import { raise } from '../failures.ts'
import type { Json } from './json.ts'
import type { SealedValues } from '../types.ts'

/** The keys that write-only values are sealed with. The first one seals; all of them open. */
export interface KeyRing {
  readonly current: string
  readonly keys: ReadonlyMap<string, Uint8Array>
}

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** Reads `id:base64,id:base64…`. To rotate, put a new key in front and keep the old ones until everything is sealed anew. */
export function keyRing(written: string): KeyRing {
  const keys = new Map<string, Uint8Array>()
  for (const part of written.split(',').map((text) => text.trim())) {
    const [, id, encoded] = /^([\w-]{1,32}):([\w+/=-]+)$/.exec(part) ?? []
    const key = Buffer.from(encoded ?? '', 'base64')
    if (id === undefined || key.length !== KEY_BYTES) {
      throw new Error(`failed to read key ${keys.size + 1} of CAELUS_VALUES_KEY: write id:base64 of ${KEY_BYTES} bytes`)
    }
    if (keys.has(id)) throw new Error(`failed to read CAELUS_VALUES_KEY: key id ${id} is there twice`)
    keys.set(id, key)
  }
  const [current = ''] = keys.keys()
  return { current, keys }
}

/** An envelope opens only for the deployment and the field it was made for: it cannot be copied to another row. */
const boundTo = (deploymentId: string, pointer: string): Buffer => Buffer.from(`${deploymentId}\n${pointer}`)

export function seal(ring: KeyRing, deploymentId: string, pointer: string, value: Json): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyOf(ring, ring.current), iv).setAAD(boundTo(deploymentId, pointer))
  const sealed = Buffer.concat([iv, cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()])
  return `v1.${ring.current}.${sealed.toString('base64url')}`
}

export function open(ring: KeyRing, deploymentId: string, pointer: string, envelope: string): Json {
  const [version, id = '', body = ''] = envelope.split('.')
  const bytes = Buffer.from(body, 'base64url')
  if (version !== 'v1' || bytes.length < IV_BYTES + TAG_BYTES) {
    throw raise.ValuesUnreadable(`failed to open the sealed value ${pointer}: it is not an envelope`)
  }
  try {
    const decipher = createDecipheriv(ALGORITHM, keyOf(ring, id), bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(boundTo(deploymentId, pointer)).setAuthTag(bytes.subarray(-TAG_BYTES))
    return JSON.parse(decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8'))
  } catch {
    throw raise.ValuesUnreadable(`failed to open the sealed value ${pointer} with key ${id}`)
  }
}

function keyOf({ keys }: KeyRing, id: string): Uint8Array {
  const key = keys.get(id)
  if (key === undefined) throw raise.ValuesUnreadable(`failed to find key ${id} in CAELUS_VALUES_KEY`)
  return key
}

export type Secrets = Readonly<Record<string, Json>>

export const openAll = (ring: KeyRing, deploymentId: string, sealed: SealedValues): Secrets =>
  mapFields(sealed, (envelope, pointer) => open(ring, deploymentId, pointer, envelope))

/** Seals what is new or changed; an unchanged value keeps its envelope, so that writing the same twice changes no row. */
export const sealAll = (
  ring: KeyRing,
  deploymentId: string,
  secrets: Secrets,
  stored: SealedValues = {},
): SealedValues =>
  mapFields(secrets, (value, pointer) => {
    const envelope = stored[pointer]
    const keeps =
      envelope !== undefined &&
      isCurrent(ring, envelope) &&
      sameValue(open(ring, deploymentId, pointer, envelope), value)
    return keeps ? envelope : seal(ring, deploymentId, pointer, value)
  })

/** Whether rotation has reached this row. */
export const isSealedWithCurrent = (ring: KeyRing, sealed: SealedValues): boolean =>
  Object.values(sealed).every((envelope) => isCurrent(ring, envelope))

const isCurrent = (ring: KeyRing, envelope: string): boolean => envelope.split('.')[1] === ring.current

const mapFields = <A, B>(
  fields: Readonly<Record<string, A>>,
  change: (value: A, key: string) => B,
): Record<string, B> => Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(value, key)]))
