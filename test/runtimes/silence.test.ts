import { expect, onTestFinished, test } from 'vitest'
import { createEmitter } from '../../src/kernel/index.ts'
import { httpTransport, type ConnectionEvents } from '../../src/kube/index.ts'
import { proxyTo } from '../kube/watch/proxy.ts'
import { testConfig } from '../support/kube.ts'
import { RuntimesWorld } from './world.ts'

test('when its connections go silent without closing, the leader replaces them, keeps the lead and reconciles', async () => {
  await using world = await RuntimesWorld.make()
  const config = await testConfig()
  const proxy = await proxyTo(Number(new URL(config.server).port))
  const emitter = createEmitter<ConnectionEvents>()
  const transport = httpTransport({ ...config, server: `https://127.0.0.1:${proxy.port}` }, { emitter })
  onTestFinished(async () => {
    await transport.close()
    await proxy[Symbol.asyncDispose]()
  })
  const leader = { lease: world.at('leader') }
  const { election, told } = await world.controller({ leader }, () => transport)
  await expect.poll(() => election?.leading, { timeout: 30_000 }).toBe(true)
  await world.create('before')
  await world.reaches('before', 'available')

  const events: string[] = []
  emitter.on('kube:silent', () => events.push('silent'))
  emitter.on('kube:answering', ({ replaced }) => events.push(replaced ? 'replaced' : 'answered'))
  told.on('leader:lost', ({ why }) => events.push(`lead lost: ${why}`))
  proxy.swallow()
  const since = performance.now()
  await world.create('cart')
  await world.reaches('cart', 'available')
  expect(performance.now() - since).toBeLessThan(30_000)
  expect(events.slice(0, 2)).toEqual(['silent', 'replaced'])
  expect(events.filter((event) => event.startsWith('lead lost'))).toEqual([])
  // A write under way at the cut keeps its time limit, which the stop of the controller would wait for.
  await transport.close()
})
