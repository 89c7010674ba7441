import { expect, test } from 'vitest'
import type { KubeRequest } from '../src/kube/index.ts'
import { run } from './scenario.ts'
import { appsScenario } from './scenarios/apps.ts'
import { echoScenario } from './scenarios/echo.ts'
import { runtimesScenario } from './scenarios/runtimes.ts'
import { hasSentinel, HELM_AGENT, SENTINEL, StandingLaws } from './standing.ts'
import type { Life } from './life.ts'

const [a, b] = [{ name: 'a#1' }, { name: 'b#1' }] as unknown as [Life, Life]
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/n/leases/lead'
const write: KubeRequest = { method: 'PATCH', path: '/apis/apps/v1/namespaces/n/deployments/web' }

function stage() {
  let now = 0
  const laws = new StandingLaws(() => now)
  const send = (life: Life, request: KubeRequest, body: unknown = {}, status = 200): void => {
    const response = { status, headers: {}, body }
    laws.done(life, request, response, laws.sent(life, request))
    laws.answered(life, request, response)
  }
  const hold = (life: Life, holderIdentity: string, target?: string): void =>
    send(
      life,
      { method: 'PUT', path: LEASE },
      {
        metadata: { namespace: 'n', name: 'lead', ...(target && { annotations: { 'caelus.dev/target': target } }) },
        spec: { holderIdentity, leaseDurationSeconds: 15 },
      },
    )
  return { laws, send, hold, pass: (ms: number) => (now += ms) }
}

test('deletions of a Helm process are left to the fence, those of its worker are not', () => {
  const { laws, send, hold } = stage()
  hold(a, 'a', '/namespace//n')
  hold(b, 'b', '/namespace//n')
  const deletion: KubeRequest = { method: 'DELETE', path: write.path }
  send(a, { ...deletion, headers: { 'user-agent': HELM_AGENT } })
  expect(laws.broken).toBeUndefined()
  send(a, deletion)
  expect(laws.broken?.law).toBe('two holders never work on one target')
})

test('a write after another process took the Lease breaks a law, one by its holder does not', () => {
  const { laws, send, hold } = stage()
  hold(a, 'a')
  send(a, write)
  hold(b, 'b')
  send(b, write)
  expect(laws.broken).toBeUndefined()
  send(a, write)
  expect(laws.broken?.law).toBe('nothing is written under a past term')
})

test('a refused write, a dry run and an Event break nothing', () => {
  const { laws, send, hold } = stage()
  hold(a, 'a')
  hold(b, 'b')
  send(a, write, {}, 409)
  send(a, { ...write, query: { dryRun: 'All' } })
  send(a, { method: 'POST', path: '/apis/events.k8s.io/v1/namespaces/n/events' })
  expect(laws.broken).toBeUndefined()
})

test.each([
  ['the locked Deployment', 'apps/deployment/n/web', true],
  ['something in the locked namespace', '/namespace//n', true],
  ['something else', 'apps/deployment/n/other', false],
])('a holder that lost its lock and writes to %s', (_, target, isBroken) => {
  const { laws, send, hold } = stage()
  hold(a, 'same', target)
  hold(b, 'same', target)
  send(a, write)
  expect(laws.broken?.law).toBe(isBroken ? 'two holders never work on one target' : undefined)
})

test('a lock that was given back or has expired is in no one’s way', () => {
  const { laws, send, hold, pass } = stage()
  hold(a, 'a')
  hold(b, 'b')
  pass(15_000)
  send(a, write)
  hold(b, '')
  send(a, write)
  expect(laws.broken).toBeUndefined()
})

test('a write under an older fence breaks a law', () => {
  const { laws } = stage()
  laws.fenced('t', 1)
  laws.fenced('t', 2)
  laws.fenced('u', 1)
  laws.fenced('t', 2)
  expect(laws.broken).toBeUndefined()
  laws.fenced('t', 1)
  expect(laws.broken?.law).toBe('nothing is written under an older fence')
})

test('the sentinel is found in every spelling', () => {
  const json = JSON.stringify(SENTINEL)
  const base64 = ['', 'u:', 'user:', '{"a":'].map((before) => Buffer.from(before + json).toString('base64'))
  for (const spelled of [SENTINEL, json, JSON.stringify(json), encodeURIComponent(SENTINEL), ...base64])
    expect(hasSentinel(spelled), spelled).toBe(true)
  expect(hasSentinel('********')).toBe(false)
})

test.each([echoScenario(), appsScenario(), runtimesScenario()])('a seed of $name replays exactly', async (one) => {
  const [first, again] = [await run(one, 7), await run(one, 7)]
  expect(again).toEqual(first)
  expect(first.timeline.length).toBeGreaterThan(20)
})

test('a process that released a Lease is not bound by its next holder, also when the release was refused', () => {
  for (const status of [200, 409]) {
    const { laws, send, hold } = stage()
    hold(a, 'a')
    if (status === 409) hold(b, 'b')
    send(a, { method: 'DELETE', path: LEASE }, { kind: 'Status' }, status)
    hold(b, 'b')
    send(a, write)
    expect(laws.broken).toBeUndefined()
  }
})
