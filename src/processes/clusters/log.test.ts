import { expect, test } from 'vitest'
import type { ClustersEvents } from '../../domains/clusters/index.ts'
import { createEmitter, type Failure } from '../../kernel/index.ts'
import { failureLog } from '../../telemetry/index.ts'
import { logClusters } from './log.ts'

const failure: Failure = {
  code: 'OrphansKept',
  message: '5 of 6 Shoots have no row',
  whoseMove: 'operator',
  retryable: true,
  nextStep: 'Look at them.',
}

test('what an operator must know is a warning, and a Gardener that is away is told once', () => {
  const lines: unknown[] = []
  const write =
    (level: string) =>
    (...[facts, message]: [object | string, string?]): void =>
      void lines.push(typeof facts === 'string' ? { level, message: facts } : { level, message, ...facts })
  const log = { debug: () => {}, info: write('info'), warn: write('warn') } as never
  const emitter = createEmitter<ClustersEvents>()
  logClusters(emitter, log, failureLog(log))
  emitter.emit('clusters:step', { cluster: 'c1', step: 'apply', ms: 12.4 })
  emitter.emit('clusters:step', { cluster: 'c1', step: 'apply', ms: 12.4, failure })
  emitter.emit('clusters:orphansKept', { failure, shoots: ['a/b'] })
  emitter.emit('clusters:orphanRemoved', { shoot: 'a/b', cluster: 'c2' })
  emitter.emit('clusters:orphanRetried', { shoot: 'a/b', cluster: 'c2' })
  emitter.emit('clusters:orphanStuck', { shoot: 'a/b', failure })
  emitter.emit('clusters:gardenerAway', { error: new Error('connection refused') })
  emitter.emit('clusters:gardenerAway', { error: new Error('connection refused') })
  emitter.emit('clusters:watch', { isCurrent: false })
  const about = { code: 'OrphansKept', failure: '5 of 6 Shoots have no row' }
  expect(lines).toEqual([
    { level: 'warn', message: 'Step failed', cluster: 'c1', step: 'apply', ms: 12, ...about, whoseMove: 'operator' },
    { level: 'warn', message: 'Shoots without a cluster left alone', ...about, nextStep: 'Look at them.' },
    { level: 'warn', message: 'Shoot without a cluster deleted', shoot: 'a/b', cluster: 'c2' },
    {
      level: 'warn',
      message: 'Deletion of a Shoot without a cluster asked for again',
      shoot: 'a/b',
      cluster: 'c2',
    },
    {
      level: 'warn',
      message: 'Shoot without a cluster cannot be deleted by Gardener',
      shoot: 'a/b',
      ...about,
      nextStep: 'Look at them.',
    },
    { level: 'warn', message: 'Gardener not reached', failure: 'connection refused' },
    { level: 'warn', message: 'Watch on Shoots interrupted: statuses may be old' },
  ])
})
