import { describe, expect, test } from 'vitest'
import { withFaults, type Fault } from './faults.ts'
import type { KubeRequest, Transport } from './transport.ts'

const REQUEST: KubeRequest = { method: 'PATCH', path: '/api/v1/namespaces/a/pods/b', body: {} }

function counting(): Transport & { done: number } {
  const transport = {
    done: 0,
    send: () => Promise.resolve({ status: 200, headers: {}, body: { done: ++transport.done } }),
    async *stream() {
      yield* [1, 2, 3]
    },
  }
  return transport
}

describe('a call over a bad network', () => {
  test.each([
    ['that is lost is not done and fails', { fault: 'lost' }, 0, 'connection reset'],
    ['whose answer is lost is done and fails', { fault: 'unanswered' }, 1, 'connection reset before the answer'],
    ['that arrives twice is done twice and succeeds', { fault: 'twice' }, 2, undefined],
    ['that is late is done once and succeeds', { fault: 'late', ms: 1 }, 1, undefined],
    ['that is refused is not done', { fault: 'refused', status: 500 }, 0, undefined],
  ] as const)('%s', async (_, fault, done, message) => {
    const server = counting()
    const answer = withFaults(server, () => fault).send(REQUEST)
    if (message === undefined) await answer
    else await expect(answer).rejects.toThrow(message)
    expect(server.done).toBe(done)
  })

  test('cuts a stream where the plan says', async () => {
    const lines: unknown[] = []
    const reading = async (fault: Fault): Promise<void> => {
      for await (const line of withFaults(counting(), () => fault).stream(REQUEST)) lines.push(line)
    }
    await expect(reading({ fault: 'cut', afterLines: 2 })).rejects.toThrow('in the middle of the stream')
    expect(lines).toEqual([1, 2])
  })
})
