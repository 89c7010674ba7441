import { createHash, generateKeyPairSync, sign as rsaSign, type KeyObject } from 'node:crypto'

/* As much of OpenPGP (RFC 9580, version 4) as signing charts takes: no program has to be installed for it. */

export interface SigningKey {
  readonly identity: string
  /** 40 hexadecimal digits in upper case. */
  readonly fingerprint: string
  /** In ASCII armor, as `gpg --armor --export` writes it. */
  readonly publicKey: string
  /** A message in clear text with its signature. */
  clearSign(text: string): string
}

const SIGNED_TEXT = 0x01
const CERTIFIED = 0x13
const [RSA, SHA256] = [1, 8]

export function signingKey(identity: string): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const numbers = [n, e].map((text) => integer(Buffer.from(text, 'base64url')))
  const body = Buffer.concat([Buffer.from([4]), uint32(now()), Buffer.from([RSA]), ...numbers])
  const hashedKey = Buffer.concat([Buffer.from([0x99]), uint16(body.length), body])
  const fingerprint = createHash('sha1').update(hashedKey).digest()
  const user = Buffer.from(identity)
  const signature = (type: number, signed: Buffer) => packet(2, signatureOf(privateKey, fingerprint, type, signed))
  const certified = Buffer.concat([hashedKey, Buffer.from([0xb4]), uint32(user.length), user])
  const key = Buffer.concat([packet(6, body), packet(13, user), signature(CERTIFIED, certified)])
  return {
    identity,
    fingerprint: fingerprint.toString('hex').toUpperCase(),
    publicKey: armored('PUBLIC KEY BLOCK', key),
    clearSign(text) {
      const lines = text.replace(/\n$/, '').split('\n')
      const signed = lines.map((line) => line.trimEnd()).join('\r\n')
      const escaped = lines.map((line) => (line.startsWith('-') ? `- ${line}` : line)).join('\n')
      const block = armored('SIGNATURE', signature(SIGNED_TEXT, Buffer.from(signed)))
      return `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${escaped}\n${block}`
    },
  }
}

function signatureOf(key: KeyObject, fingerprint: Buffer, type: number, signed: Buffer): Buffer {
  const hashed = Buffer.concat([
    subpacket(2, uint32(now())),
    subpacket(33, Buffer.concat([Buffer.from([4]), fingerprint])),
    ...(type === CERTIFIED ? [subpacket(27, Buffer.from([0x03]))] : []),
  ])
  const head = Buffer.concat([Buffer.from([4, type, RSA, SHA256]), uint16(hashed.length), hashed])
  const all = Buffer.concat([signed, head, Buffer.from([4, 0xff]), uint32(head.length)])
  const unhashed = subpacket(16, fingerprint.subarray(-8))
  const left = createHash('sha256').update(all).digest().subarray(0, 2)
  return Buffer.concat([head, uint16(unhashed.length), unhashed, left, integer(rsaSign('sha256', all, key))])
}

const now = (): number => Math.floor(Date.now() / 1000)

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** With the number of its bits in front, without leading zeros. */
function integer(bytes: Buffer): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0)
  const value = bytes.subarray(from)
  return Buffer.concat([uint16(value.length * 8 - Math.clz32(value[0] ?? 0) + 24), value])
}

const packet = (tag: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xc0 | tag, 0xff]), uint32(body.length), body])

const subpacket = (type: number, body: Buffer): Buffer => Buffer.concat([Buffer.from([body.length + 1, type]), body])

function armored(what: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN PGP ${what}-----\n\n${lines.join('\n')}\n=${crc24(bytes)}\n-----END PGP ${what}-----\n`
}

function crc24(bytes: Buffer): string {
  let crc = 0xb704ce
  for (const byte of bytes) {
    crc ^= byte << 16
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x800000 ? ((crc << 1) ^ 0x1864cfb) & 0xffffff : crc << 1
  }
  return uint32(crc & 0xffffff)
    .subarray(1)
    .toString('base64')
}
