import { expect, test } from 'vitest'
import { createEmitter, manualClock, seededRandom } from '../../kernel/index.ts'
import { FakeKubernetes } from '../../kube/fake/index.ts'
import { cache, ClusterRole, ClusterRoleBinding, makeClient, Pod, type WatchEvents } from '../../kube/index.ts'
import { failureLog } from '../../telemetry/index.ts'
import { logWatches } from './watch-log.ts'

function recorded() {
  const clock = manualClock()
  const lines: { level: string; message: string; resource?: string; failure?: string }[] = []
  const write = (level: string) => (facts: object, message: string) => void lines.push({ level, message, ...facts })
  const log = { debug: () => {}, info: write('info'), warn: write('warn') } as never
  const emitter = createEmitter<WatchEvents>()
  logWatches(emitter, log, failureLog(log, clock))
  return { clock, lines, emitter }
}

test('a missing RBAC rule on a watched kind is in the log, once a minute, and so is its repair', async () => {
  const { clock, lines, emitter } = recorded()
  const server = new FakeKubernetes({ clock, random: seededRandom(1) })
  const admin = makeClient(server.transport(), { fieldManager: 'test' })
  const source = makeClient(server.transport({ name: 'worker', groups: [] }), { fieldManager: 'test' })
  const pods = cache({ source, clock, emitter, random: seededRandom(1) }, { resource: Pod })
  void pods.start()
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.advance(1_000)
      await new Promise(setImmediate)
    }
  }
  await pass(50_000)
  expect(lines).toMatchObject([
    { level: 'warn', message: 'Watch failed', resource: 'pods', failure: expect.stringMatching(/forbidden.*pods/i) },
  ])
  await pass(60_000)
  expect(lines).toHaveLength(2)

  const api = 'rbac.authorization.k8s.io'
  await admin.create(ClusterRole, {
    apiVersion: `${api}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'worker' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }],
  })
  await admin.create(ClusterRoleBinding, {
    apiVersion: `${api}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'worker' },
    roleRef: { apiGroup: api, kind: 'ClusterRole', name: 'worker' },
    subjects: [{ apiGroup: api, kind: 'User', name: 'worker' }],
  })
  await pass(120_000)
  expect(lines).toContainEqual({ level: 'info', message: 'Recovered', resource: 'pods', from: 'Watch failed' })
  await pods.stop()
})

test('changes that a watch had missed are a warning, those that came late are not', () => {
  const { lines, emitter } = recorded()
  emitter.emit('watch:behind', { resource: 'pods', foundBy: 'audit', missed: 2, overdue: 1 })
  emitter.emit('watch:behind', { resource: 'pods', foundBy: 'audit', missed: 2, overdue: 0 })
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'warn Watch missed changes',
    'info Watch was late',
  ])
})
