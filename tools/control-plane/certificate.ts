import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { bits, boolean, explicit, implicit, integer, objectId, octets, sequence, set, time, utf8 } from './der.ts'

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
const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const USAGE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' }

/** A new authority. Its keys and those it signs are on the curve P-256: made in a millisecond, accepted everywhere. */
export function createAuthority(commonName: string, now: Date): Authority {
  const { publicKey, privateKey } = newKey()
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

export const newKey = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })

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
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(serial),
    ECDSA_SHA256,
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
  const signed = sequence(body, ECDSA_SHA256, bits(sign('sha256', body, content.signer)))
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

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' })
