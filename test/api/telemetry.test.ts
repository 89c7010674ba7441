import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createEmitter, type KernelEvents } from '../../src/kernel/index.ts'
import { logKernel, makeLogger, makeMetrics, scrubber, traceKernel, tracing } from '../../src/telemetry/index.ts'

const key = { kind: 'Echo', id: 'demo/a' }
const failure = {
  code: 'TimedOut',
  message: 'took too long',
  whoseMove: 'platform',
  retryable: true,
  nextStep: '',
} as const

test('spans of reconciles reach a collector before the process ends', async () => {
  const received: string[] = []
  const collector = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      received.push(`${request.url} ${body}`)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  const service = tracing({ endpoint: `http://127.0.0.1:${port}`, serviceName: 'caelus-test', version: '1' })
  const kernel = createEmitter<KernelEvents>()
  await service.start()
  traceKernel(kernel)
  kernel.emit('reconcile:start', { controller: 'echo', key, attempt: 0 })
  kernel.emit('reconcile:end', { controller: 'echo', key, ms: 3, outcome: 'retry', failure })
  await service.stop()
  collector.close()
  expect(received).toHaveLength(1)
  expect(received[0]).toMatch(/^\/v1\/traces .*reconcile Echo.*TimedOut/s)
  expect(received[0]).toContain('caelus-test')
})

test('the log has constant messages and the facts as keys', () => {
  const lines: string[] = []
  const log = makeLogger({
    level: 'info',
    format: 'json',
    scrub: scrubber([]),
    destination: { write: (line) => lines.push(line) },
  })
  const kernel = createEmitter<KernelEvents>()
  logKernel(kernel, log)
  kernel.emit('reconcile:end', { controller: 'echo', key, ms: 3.6, outcome: 'settled' })
  kernel.emit('reconcile:end', { controller: 'echo', key, ms: 3.6, outcome: 'retry', failure })
  kernel.emit('lease:lost', { controller: 'echo', key, fence: 7 })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'warn',
      msg: 'Reconcile failed',
      controller: 'echo',
      key: 'Echo/demo/a',
      ms: 4,
      outcome: 'retry',
      code: 'TimedOut',
    },
    { level: 'warn', msg: 'Lease lost', fence: 7 },
  ])
})

test('the log has no token, wherever in a text it stands', () => {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  const log = makeLogger({ level: 'info', format: 'json', scrub: scrubber([]), destination })
  const [token, jwt] = ['cael_A1b2C3d4A1b2C3d4', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln']
  for (const secret of [token, jwt, `Bearer ${token.slice(5)}`]) {
    for (const before of ['said: ', 'said:\n', 'said:\t', '"']) log.info({ failure: `${before}${secret}\n` }, 'Failed')
  }
  expect(lines).toHaveLength(12)
  expect(lines.filter((line) => /A1b2C3d4|c2ln/.test(line))).toEqual([])
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(lines.map(() => 'Failed'))
})

test('metrics count outcomes, measure time and ask queues when they are read', async () => {
  const metrics = makeMetrics('1.2.3')
  const kernel = createEmitter<KernelEvents>()
  metrics.listenTo(kernel)
  let ready = 0
  metrics.queueDepths(async () => [{ queue: 'apps', ready: ready++, delayed: 2, running: 3, parked: 4 }])
  metrics.watch('pods', 'relisted')
  kernel.emit('reconcile:start', { controller: 'echo', key, attempt: 0 })
  kernel.emit('reconcile:end', { controller: 'echo', key, ms: 30, outcome: 'retry', failure })
  await metrics.text()
  const page = await metrics.text()
  for (const line of [
    'caelus_build_info{version="1.2.3"} 1',
    'caelus_reconcile_total{controller="echo",outcome="retry",code="TimedOut"} 1',
    'caelus_reconcile_running{controller="echo"} 0',
    'caelus_reconcile_duration_seconds_bucket{le="0.05",controller="echo"} 1',
    'caelus_queue_depth{queue="apps",state="ready"} 1',
    'caelus_queue_depth{queue="apps",state="parked"} 4',
    'caelus_watch_happenings_total{resource="pods",happening="relisted"} 1',
  ]) {
    expect(page).toContain(line)
  }
})
