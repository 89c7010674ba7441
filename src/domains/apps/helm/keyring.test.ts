import { expect, it } from 'vitest'
import { signingKey } from '../../../../test/support/open-pgp.ts'
import { readKeyring, unarmored } from './keyring.ts'

const ADA = signingKey('Ada Lovelace <ada@example.com>')
const BOB = signingKey('Bob <bob@example.com>')
const named = ({ fingerprint, identity }: typeof ADA) => ({ fingerprint, identity })

it('tells whose keys are in a keyring, in one block or several', () => {
  expect(readKeyring(ADA.publicKey)).toEqual({ keys: [named(ADA)] })
  expect(readKeyring(`of Ada\n${ADA.publicKey}\n\n${BOB.publicKey}`)).toEqual({ keys: [named(ADA), named(BOB)] })
  const both = Buffer.concat([unarmored(ADA.publicKey), unarmored(BOB.publicKey)]).toString('base64')
  const headed = `-----BEGIN PGP PUBLIC KEY BLOCK-----\r\nComment: ours\r\n\r\n${both}\r\n-----END PGP PUBLIC KEY BLOCK-----`
  expect(readKeyring(headed)).toEqual({ keys: [named(ADA), named(BOB)] })
})

it('refuses a private key, and what is no keyring', () => {
  const bytes = unarmored(ADA.publicKey)
  const secret = Buffer.concat([Buffer.from([0xc5]), bytes.subarray(1)])
  const armored = (of: Buffer) =>
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${of.toString('base64')}\n-----END PGP PRIVATE KEY BLOCK-----`
  expect(readKeyring(armored(secret))).toEqual({ problem: expect.stringContaining('private key') })
  for (const text of ['', 'x', ADA.clearSign('x'), armored(Buffer.from([0xc6, 0xff, 0xff, 0xff, 0xff, 0xff, 0]))]) {
    expect(readKeyring(text)).toEqual({ problem: expect.stringContaining('gpg --armor --export') })
  }
})
