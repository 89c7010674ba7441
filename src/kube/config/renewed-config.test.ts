import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/clock.ts'
import { renewedConfig, type EndingKubeconfig } from './renewed-config.ts'

const LIFE_MS = 1_000_000

const kubeconfig = ({ token = 'first', server = 'https://shoot.example', user = {} } = {}): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': btoa('pem') } }],
    users: [{ name: 'u', user: { token, ...user } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  })

async function scene(first = kubeconfig()) {
  const clock = manualClock(0)
  const answers: (string | Error)[] = []
  let asked = 0
  let moved = 0
  const obtain = async (): Promise<EndingKubeconfig> => {
    asked++
    const answer = asked === 1 ? first : (answers.shift() ?? kubeconfig({ token: `renewed ${asked}` }))
    if (answer instanceof Error) throw answer
    return { kubeconfig: answer, expiresAt: clock.now() + LIFE_MS }
  }
  const { config, renew } = await renewedConfig({ of: 'of cluster shop', obtain, onMoved: () => moved++, clock })
  const { credentials } = config
  const token = async () => (await credentials.current()).authorization
  return { clock, answers, credentials, token, renew, asked: () => asked, moved: () => moved }
}

test('credentials are kept until four fifths of their life are over, and renewed while they still hold', async () => {
  const { clock, token, asked } = await scene()
  await clock.advance(0.79 * LIFE_MS)
  expect([await token(), asked()]).toEqual(['Bearer first', 1])
  await clock.advance(0.01 * LIFE_MS)
  expect(await token()).toBe('Bearer first')
  await expect.poll(token).toBe('Bearer renewed 2')
  expect(asked()).toBe(2)
})

test('while they cannot be renewed the present ones are used until their end, and a failure is told after it', async () => {
  const { clock, answers, token, asked } = await scene()
  answers.push(new Error('away'), new Error('still away'))
  await clock.advance(0.85 * LIFE_MS)
  expect(await token()).toBe('Bearer first')
  await expect.poll(asked).toBe(2)
  for (let times = 0; times < 5; times++) expect(await token()).toBe('Bearer first')
  expect(asked()).toBe(2)
  await clock.advance(0.15 * LIFE_MS)
  await expect(token()).rejects.toThrow('still away')
  await expect(token()).rejects.toThrow('still away')
  expect(asked()).toBe(3)
  await clock.advance(10_000)
  expect(await token()).toBe('Bearer renewed 4')
})

test('refused credentials are renewed at once, unless they are new', async () => {
  const { clock, credentials, token, asked } = await scene()
  const first = await credentials.current()
  expect(credentials.refused(first)).toBe(false)
  await clock.advance(60_000)
  expect(credentials.refused(first)).toBe(true)
  expect([await token(), asked()]).toEqual(['Bearer renewed 2', 2])
  // Another request was refused with those before.
  expect(credentials.refused(first)).toBe(true)
  expect([await token(), asked()]).toEqual(['Bearer renewed 2', 2])
})

test('credentials for another server are sent nowhere', async () => {
  const { clock, answers, credentials, moved } = await scene()
  answers.push(kubeconfig({ token: 'for another', server: 'https://elsewhere.example' }))
  await clock.advance(LIFE_MS)
  await expect(credentials.current()).rejects.toThrow('kubeconfig of cluster shop: its server has moved')
  await expect(credentials.current()).rejects.toThrow('its server has moved')
  expect(moved()).toBe(1)
})

test('they are renewed early when that is asked for, and a server that has moved is noticed', async () => {
  const { answers, token, renew, asked, moved } = await scene()
  await renew()
  expect([await token(), asked(), moved()]).toEqual(['Bearer renewed 2', 2, 0])
  answers.push(kubeconfig({ server: 'https://elsewhere.example' }))
  await renew()
  await renew()
  expect([asked(), moved()]).toEqual([3, 1])
})

test.each([
  ['exec', { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'id' } }],
  ['tokenFile', { tokenFile: '/etc/passwd' }],
  ['client-key', { 'client-key': '/etc/key' }],
])('a kubeconfig of another system may not name %s', async (named, user) => {
  await expect(scene(kubeconfig({ user }))).rejects.toThrow(`of cluster shop: ${named} is not accepted`)
})

test.each([
  ['http://shoot.example', 'http://shoot.example/'],
  ['http://admin:s3cret@127.0.0.1:6443', 'http://127.0.0.1:6443/'],
  ['shoot.example', 'not a URL'],
])('a kubeconfig of another system may not send credentials in plain text to %s', async (server, named) => {
  await expect(scene(kubeconfig({ server }))).rejects.toThrow(
    `of cluster shop: its server (${named}) has to be an https:// URL`,
  )
})
