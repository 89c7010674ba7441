import { expect, test } from 'vitest'
import type { AppsEvents } from '../../domains/apps/index.ts'
import { createEmitter, type Failure } from '../../kernel/index.ts'
import { failureLog } from '../../telemetry/index.ts'
import { logApps } from './log.ts'

const failure: Failure = {
  code: 'HelmFailed',
  message: 'timed out',
  whoseMove: 'operator',
  retryable: true,
  nextStep: 'Read the log.',
}

test('failed steps and a fence policy that cannot be installed are warnings', () => {
  const lines: { level: string; message: string }[] = []
  const write = (level: string) => (facts: object, message: string) => void lines.push({ level, message, ...facts })
  const log = { debug: () => {}, info: write('info'), warn: write('warn') } as never
  const emitter = createEmitter<AppsEvents>()
  logApps(emitter, log, failureLog(log))
  emitter.emit('apps:step', { deployment: 'd1', step: 'install', ms: 12.4 })
  emitter.emit('apps:step', { deployment: 'd1', step: 'install', ms: 12.4, failure })
  emitter.emit('apps:unfenced', { error: new Error('connection refused') })
  emitter.emit('apps:unfenced', { error: new Error('connection refused') })
  emitter.emit('apps:touched', { deployment: 'd1', object: 'Deployment/web', how: 'changed' })
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'Step failed',
      deployment: 'd1',
      step: 'install',
      ms: 12,
      code: 'HelmFailed',
      failure: 'timed out',
      whoseMove: 'operator',
    },
    { level: 'warn', message: 'Fence policy not installed', failure: 'connection refused' },
    {
      level: 'info',
      message: 'Object changed by another writer',
      deployment: 'd1',
      object: 'Deployment/web',
      how: 'changed',
    },
  ])
})
