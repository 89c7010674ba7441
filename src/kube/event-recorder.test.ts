import { expect, test } from 'vitest'
import { manualClock } from '../kernel/index.ts'
import { makeClient } from './client/make-client.ts'
import { eventRecorder } from './event-recorder.ts'

const INSTALLED = { type: 'Normal', reason: 'Installed', action: 'Install', note: 'installed' } as const
const about = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name, uid: name } })

test('an event that is repeated is remembered longer than those that are not', async () => {
  const created: string[] = []
  const client = makeClient(
    {
      send({ method, body }) {
        const { metadata } = body as { metadata: { name: string } }
        if (method === 'POST') created.push(metadata.name.split('.')[0] ?? '')
        return Promise.resolve({ status: 201, headers: {}, body })
      },
      stream: () => {
        throw new Error('not expected')
      },
    },
    { fieldManager: 'test' },
  )
  const recorder = eventRecorder({ client, controller: 'caelus.dev/test', instance: 'test-0', clock: manualClock() })
  recorder.record(about('busy'), INSTALLED)
  for (let n = 0; n < 4_095; n++) recorder.record(about(`once-${n}`), INSTALLED)
  recorder.record(about('busy'), INSTALLED)
  recorder.record(about('last'), INSTALLED)
  recorder.record(about('busy'), INSTALLED)
  expect(created.filter((name) => name === 'busy')).toEqual(['busy'])
  recorder.record(about('once-0'), INSTALLED)
  expect(created.filter((name) => name === 'once-0')).toEqual(['once-0', 'once-0'])
})
