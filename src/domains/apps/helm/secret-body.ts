import { isJsonObject } from '../values/json.ts'

/** What a request to create a Secret has in it, as far as records of releases are concerned. */
export interface SecretBody {
  readonly type: string
  /** The value of the key `release`, decoded. */
  readonly release: Buffer
}

/** Helm 4 speaks protobuf to the API server where the kind has it, Helm 3 JSON. */
export function secretBodyOf(body: Buffer): SecretBody {
  return body.subarray(0, MAGIC.length).equals(MAGIC) ? fromProtobuf(body.subarray(MAGIC.length)) : fromJson(body)
}

function fromJson(body: Buffer): SecretBody {
  const secret: unknown = JSON.parse(body.toString('utf8'))
  if (!isJsonObject(secret)) throw new Error('the Secret is not an object')
  const { type, data } = secret
  const release = isJsonObject(data) && typeof data['release'] === 'string' ? data['release'] : ''
  return { type: typeof type === 'string' ? type : '', release: Buffer.from(release, 'base64') }
}

/** Before every object of the API in protobuf; a `runtime.Unknown` with the object in its field 2 follows. */
const MAGIC = Buffer.from('k8s\0', 'latin1')

/** The fields of `runtime.Unknown`, of `v1.Secret`, and of an entry of its `data`. */
const FIELDS = { raw: 2, data: 2, type: 3, key: 1, value: 2 } as const

function fromProtobuf(unknown: Buffer): SecretBody {
  const secret = fieldsIn(fieldsIn(unknown).get(FIELDS.raw)?.at(-1) ?? Buffer.alloc(0))
  const entries = (secret.get(FIELDS.data) ?? []).map(fieldsIn)
  const release = entries.find((entry) => entry.get(FIELDS.key)?.at(-1)?.toString('utf8') === 'release')
  return {
    type: secret.get(FIELDS.type)?.at(-1)?.toString('utf8') ?? '',
    release: release?.get(FIELDS.value)?.at(-1) ?? Buffer.alloc(0),
  }
}

/** The fields of a message that have a length, by number; the others are skipped. */
function fieldsIn(message: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>()
  let at = 0
  const number = (): number => {
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at++]
      if (byte === undefined) break
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new Error('the protobuf message is cut off')
  }
  while (at < message.length) {
    const tag = number()
    const [field, wire] = [Math.floor(tag / 8), tag % 8]
    if (wire === 0) number()
    else if (wire === 1) at += 8
    else if (wire === 5) at += 4
    else if (wire === 2) {
      const length = number()
      if (at + length > message.length) throw new Error('the protobuf message is cut off')
      fields.set(field, [...(fields.get(field) ?? []), message.subarray(at, at + length)])
      at += length
    } else throw new Error(`the protobuf message has wire type ${wire}`)
  }
  return fields
}
