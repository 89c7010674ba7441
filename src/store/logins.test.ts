import { expect, test } from 'vitest'
import { loginOf, scramVerifier, urlWithLogin } from './logins.ts'

test('a verifier is what PostgreSQL computes for the same password and salt', () => {
  // The example of RFC 7677: user "user", password "pencil".
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
  expect(scramVerifier('user', 'pencil', salt)).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  )
})

test('a password that SASLprep would change is refused without printing it', () => {
  const refused = (): string => scramVerifier('api', 'geheim-ü')
  expect(refused).toThrow('the password of api must be printable ASCII')
  expect(refused).not.toThrow('geheim')
})

test('a connection URL names the login and its password, in every spelling', () => {
  const login = { name: 'caelus_api_login', role: 'caelus_api', password: 'p@ss/w%rd' } as const
  const url = urlWithLogin('postgres://owner:secret@db:5432/caelus?sslmode=verify-full', login)
  expect(url).toBe('postgres://caelus_api_login:p%40ss%2Fw%25rd@db:5432/caelus?sslmode=verify-full')
  expect(loginOf(url, 'caelus_api')).toEqual(login)
  expect(loginOf('postgres://api@db/caelus', 'caelus_api')).toEqual({ name: 'api', role: 'caelus_api' })
  for (const wrong of ['', 'db/caelus', 'postgres://db/caelus']) {
    expect(() => loginOf(wrong, 'caelus_worker')).toThrow('the connection URL for caelus_worker')
  }
})
