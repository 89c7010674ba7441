import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { bits, boolean, explicit, implicit, integer, none, objectId, octets, sequence, set, time, utf8 } from './der.ts'

/** A certificate with its key, both PEM. */
export interface Certified {
  readonly cert: string
  readonly key: string
}

interface Subject {
  readonly commonName: string
  /** Kubernetes reads it as a group. */
  readonly organization?: string
}

interface LeafOptions extends Subject {
  readonly usage: ReadonlyArray<'client' | 'server'>
  /** Host names and IPv4 addresses. */
  readonly names?: readonly string[]
}

/** A certificate authority: signs certificates that its own certificate verifies. */
export interface Authority {
  readonly certified: Certified
  issue(options: LeafOptions): Certified
}

const DAY_MS = 86_400_000

/** The algorithm that goes with a key: what is written into what it signs, and the form in which the key is stored. */
const ALGORITHMS = {
  ec: {
    identifier: sequence(objectId('1.2.840.10045.4.3.2')),
    generate: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    pem: (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }),
  },
  rsa: {
    identifier: sequence(objectId('1.2.840.113549.1.1.11'), none()),
    generate: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    pem: (key: KeyObject) => key.export({ type: 'pkcs1', format: 'pem' }),
  },
} as const

type KeyType = keyof typeof ALGORITHMS

const algorithmOf = (key: KeyObject) => ALGORITHMS[key.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec']

const USAGE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' }

/**
 * A new authority. The keys it signs are on the curve P-256: made in a millisecond, accepted everywhere. So is its own,
 * unless its reader knows RSA alone.
 */
export function createAuthority(commonName: string, now: Date, type: KeyType = 'ec'): Authority {
  const { publicKey, privateKey } = ALGORITHMS[type].generate()
  const subject = { commonName }
  const extensions = [
    extension('2.5.29.19', sequence(boolean(true)), true),
    extension('2.5.29.15', bits(Uint8Array.of(0x06), 1), true),
    extension('2.5.29.14', octets(keyId(publicKey))),
  ]
  const cert = certificate({ subject, issuer: subject, publicKey, signer: privateKey, days: 3650, extensions, now })
  return authority(subject, { cert, key: pem(privateKey) }, publicKey, privateKey, now)
}

function authority(
  issuer: Subject,
  certified: Certified,
  issuerKey: KeyObject,
  signer: KeyObject,
  now: Date,
): Authority {
  return {
    certified,
    issue(options) {
      const { publicKey, privateKey } = newKey()
      const extensions = [
        extension('2.5.29.15', bits(Uint8Array.of(0x80), 7), true),
        extension('2.5.29.37', sequence(...options.usage.map((usage) => objectId(USAGE[usage])))),
        extension('2.5.29.35', sequence(implicit(0, keyId(issuerKey)))),
        ...(options.names === undefined
          ? []
          : [extension('2.5.29.17', sequence(...options.names.map(alternativeName)))]),
      ]
      const cert = certificate({ subject: options, issuer, publicKey, signer, days: 3650, extensions, now })
      return { cert, key: pem(privateKey) }
    },
  }
}

export const newKey = (): { publicKey: KeyObject; privateKey: KeyObject } => ALGORITHMS.ec.generate()

interface Content {
  readonly subject: Subject
  readonly issuer: Subject
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly days: number
  readonly extensions: readonly Uint8Array[]
  readonly now: Date
}

function certificate(content: Content): string {
  const serial = randomBytes(16)
  serial[0] = (serial[0] ?? 0) & 0x7f || 1
  const { identifier } = algorithmOf(content.signer)
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(serial),
    identifier,
    name(content.issuer),
    // Valid since an hour ago, for machines whose clocks differ.
    sequence(
      time(new Date(content.now.getTime() - 3_600_000)),
      time(new Date(content.now.getTime() + content.days * DAY_MS)),
    ),
    name(content.subject),
    publicKeyInfo(content.publicKey),
    explicit(3, sequence(...content.extensions)),
  )
  const signed = sequence(body, identifier, bits(sign('sha256', body, content.signer)))
  const lines =
    Buffer.from(signed)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

const name = ({ commonName, organization }: Subject): Uint8Array =>
  sequence(
    ...(organization === undefined ? [] : [set(sequence(objectId('2.5.4.10'), utf8(organization)))]),
    set(sequence(objectId('2.5.4.3'), utf8(commonName))),
  )

const extension = (id: string, value: Uint8Array, critical = false): Uint8Array =>
  sequence(objectId(id), ...(critical ? [boolean(true)] : []), octets(value))

const alternativeName = (host: string): Uint8Array =>
  isIPv4(host) ? implicit(7, Uint8Array.from(host.split('.').map(Number))) : implicit(2, Buffer.from(host))

const publicKeyInfo = (key: KeyObject): Uint8Array => key.export({ type: 'spki', format: 'der' })

const keyId = (key: KeyObject): Uint8Array => createHash('sha1').update(publicKeyInfo(key)).digest()

const pem = (key: KeyObject): string => algorithmOf(key).pem(key)
