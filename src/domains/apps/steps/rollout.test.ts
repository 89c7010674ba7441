import { expect, test } from 'vitest'
import { FailureError, failureOf, manualClock } from '../../../kernel/index.ts'
import { makeClient, type Transport } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { withDiagnostics } from './rollout.ts'
import type { StepContext } from './step.ts'

const codeOf = async (send: Transport['send'], thrown: Error): Promise<string> => {
  const client = makeClient({ send, async *stream() {} }, { fieldManager: 'caelus' })
  const context = {
    parts: { client, clock: manualClock() },
    loaded: { deployment: { namespaceName: 'shop' } },
    sighting: {},
    signal: new AbortController().signal,
  } as unknown as StepContext
  const error: unknown = await withDiagnostics(context, () => Promise.reject(thrown)).catch((cause: unknown) => cause)
  return failureOf(error).code
}

const found: Transport['send'] = async () => ({ status: 200, headers: {}, body: { metadata: { name: 'shop' } } })
const refused: Transport['send'] = async () => ({ status: 403, headers: {}, body: { kind: 'Status', message: 'no' } })
const away: Transport['send'] = async () => {
  const failure = { code: 'KubeUnreachable', message: 'refused', retryable: true, nextStep: '' }
  throw new FailureError({ ...failure, whoseMove: 'platform' })
}

test.each([
  ['an unclear failure, and the API server is away', away, raise.HelmFailed('unexpected EOF'), 'KubeUnreachable'],
  ['pods that are not ready, and the API server is away', away, raise.NeverHealthy('Unknown'), 'KubeUnreachable'],
  ['an unclear failure, and the API server answers', found, raise.HelmFailed('unexpected EOF'), 'HelmFailed'],
  ['an unclear failure, and the read is refused', refused, raise.HelmFailed('unexpected EOF'), 'HelmFailed'],
  ['a clear failure, and the API server is away', away, raise.QuotaExceeded('exceeded quota'), 'QuotaExceeded'],
])('%s', async (_, send, thrown, expected) => {
  expect(await codeOf(send, thrown)).toBe(expected)
})
