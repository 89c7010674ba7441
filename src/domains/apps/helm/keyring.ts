import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { raise } from '../failures.ts'

/* OpenPGP keys that sign charts, as `gpg --armor --export` writes them. Helm does the verifying; here they are only told apart. */

const [SECRET_KEY, PUBLIC_KEY, SECRET_SUBKEY, USER_ID] = [5, 6, 7, 13]

export interface PublicKey {
  /** In upper case. */
  readonly fingerprint: string
  /** What its owner calls themselves; the first of several. */
  readonly identity: string
}

/** Why a keyring cannot be used, or what is in it. */
export type ReadKeyring = { readonly problem: string } | { readonly keys: readonly PublicKey[] }

export function readKeyring(armored: string): ReadKeyring {
  const packets = [...packetsIn(unarmored(armored))]
  if (packets.some(({ tag }) => tag === SECRET_KEY || tag === SECRET_SUBKEY))
    return {
      problem:
        'holds a private key, which belongs to nobody but its owner: export the public one, with gpg --armor --export',
    }
  const keys = packets.flatMap(({ tag, body }, index) => {
    if (tag !== PUBLIC_KEY) return []
    const user = packets.slice(index + 1).find((one) => one.tag === USER_ID || one.tag === PUBLIC_KEY)
    return [{ fingerprint: fingerprintOf(body), identity: user?.tag === USER_ID ? user.body.toString('utf8') : '' }]
  })
  return keys.length > 0
    ? { keys }
    : { problem: 'must be public OpenPGP keys in ASCII armor, as gpg --armor --export writes them' }
}

/** That of the platform, in ASCII armor. */
export const keyringFile = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: unknown) => {
    throw raise.ChartUnverified(`failed to read ${path}, which CAELUS_CHART_KEYRING names`, { cause })
  })

/** All blocks, in the binary form that every Helm reads: of armored text it would read the first block alone. */
export function unarmored(text: string): Buffer {
  const blocks = text.matchAll(/-----BEGIN PGP (?:PUBLIC|PRIVATE) KEY BLOCK-----([\s\S]*?)-----END PGP/g)
  return Buffer.concat(
    [...blocks].map(([, block = '']) => {
      // Headers end with an empty line, and the checksum follows the data.
      const [, data = ''] = /^\s*?\n(?:[A-Za-z]+: .*\r?\n)*\s*([A-Za-z0-9+/\s]*=*)/.exec(block) ?? []
      return Buffer.from(data.replaceAll(/\s/g, ''), 'base64')
    }),
  )
}

interface Packet {
  readonly tag: number
  readonly body: Buffer
}

/** RFC 9580, section 4.2. Ends where something is not a packet. */
function* packetsIn(bytes: Buffer): Generator<Packet> {
  let at = 0
  while (at + 1 < bytes.length) {
    const head = bytes[at] ?? 0
    if ((head & 0x80) === 0) return
    const isNew = (head & 0x40) !== 0
    const length = isNew ? newLength(bytes, at + 1) : oldLength(bytes, at + 1, head & 3)
    if (length === undefined || length.from + length.size > bytes.length) return
    at = length.from + length.size
    yield { tag: isNew ? head & 0x3f : (head >> 2) & 0xf, body: bytes.subarray(length.from, at) }
  }
}

interface Length {
  readonly from: number
  readonly size: number
}

function newLength(bytes: Buffer, at: number): Length | undefined {
  const first = bytes[at] ?? 0
  if (first < 192) return { from: at + 1, size: first }
  if (first < 224) return { from: at + 2, size: ((first - 192) << 8) + (bytes[at + 1] ?? 0) + 192 }
  return first === 255 && at + 5 <= bytes.length ? { from: at + 5, size: bytes.readUInt32BE(at + 1) } : undefined
}

function oldLength(bytes: Buffer, at: number, type: number): Length | undefined {
  const octets = 2 ** type
  return type < 3 && at + octets <= bytes.length ? { from: at + octets, size: bytes.readUIntBE(at, octets) } : undefined
}

const fingerprintOf = (key: Buffer): string => {
  const head = Buffer.from([0x99, key.length >> 8, key.length & 0xff])
  return createHash('sha1').update(head).update(key).digest('hex').toUpperCase()
}
