import { expect, test } from 'vitest'
import { aborted, FailureError, manualClock, service, type Service } from '../../../kernel/index.ts'
import type { EndingKubeconfig, KubeConfig } from '../../../kube/index.ts'
import { ClusterAway } from './away.ts'
import { ClusterTargets } from './cluster-targets.ts'

const LIFE_MS = 1_000_000
const NOW = new AbortController().signal
const SENTINEL = 'token-of-an-administrator'

interface FakeCluster {
  server: string
  /** What access answers instead of a kubeconfig. */
  refusal?: Error | 'gone' | 'hangs' | 'half of it'
  /** Access answers once it is resolved. */
  readonly slow?: Promise<void>
  isSilent: boolean
  /** Its services are not ready before it is resolved. */
  readonly ready?: Promise<void>
}

interface FakeTarget {
  readonly id: string
  readonly config: KubeConfig
}

const notReady = new FailureError({
  code: 'ClusterNotReady',
  message: 'its control plane is being created',
  whoseMove: 'user',
  retryable: true,
  nextStep: 'Wait.',
})

function scene() {
  const clock = manualClock(0)
  const clusters = new Map<string, FakeCluster>()
  const log: string[] = []
  const recovered: string[] = []
  const kubeconfig = async (id: string): Promise<EndingKubeconfig | undefined> => {
    const { server, refusal, slow } = clusters.get(id)!
    log.push(`access ${id}`)
    await slow
    if (refusal === 'hangs') return await new Promise(() => {})
    if (refusal === 'gone') return undefined
    if (refusal instanceof Error) throw refusal
    const text = JSON.stringify({
      clusters: [{ name: 'c', cluster: { server } }],
      users: [{ name: 'u', user: { token: SENTINEL } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    })
    const expiresAt = clock.now() + LIFE_MS
    return { kubeconfig: refusal === 'half of it' ? text.slice(0, -30) : text, expiresAt }
  }
  const running = (id: string): Service =>
    service(`services of ${id}`, async (signal, ready) => {
      log.push(`start ${id}`)
      const isAborted = aborted(signal)
      await Promise.race([clusters.get(id)!.ready, isAborted])
      ready()
      await isAborted
      log.push(`stop ${id}`)
    })
  const targets = new ClusterTargets<FakeTarget>({
    access: { kubeconfig },
    clock,
    open: (id, config) => ({
      target: { id, config },
      services: [running(id)],
      probe: async () => {
        log.push(`probe ${id}`)
        if (clusters.get(id)!.isSilent) throw silence()
      },
      close: async () => void log.push(`close ${id} at ${config.server}`),
    }),
    onRecovered: (id) => recovered.push(id),
    onChange: (id, away) => log.push(`${id} ${away === undefined ? 'can be used' : 'is away'}`),
  })
  const cluster = (id: string, more: Partial<FakeCluster> = {}): FakeCluster => {
    const made = { server: `https://${id}.example`, isSilent: false, ...more }
    clusters.set(id, made)
    return made
  }
  const use = async (id: string) => {
    const used = await targets.use(id, () => 60_000, NOW)
    if (used === 'gone') throw new Error('gone')
    return used
  }
  const awayness = async (id: string, patienceMs = 0) => {
    const answer = targets.use(id, () => patienceMs, NOW).catch((error: unknown) => error)
    await clock.advance(patienceMs)
    const error = await answer
    expect(error).toBeInstanceOf(ClusterAway)
    return error as ClusterAway
  }
  return { clock, targets, cluster, use, awayness, log, recovered }
}

const silence = () =>
  new FailureError({
    code: 'KubeUnreachable',
    message: 'failed to GET /version: connect ECONNREFUSED',
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Wait.',
  })

test('a cluster is connected to when it is used first, and once', async () => {
  const { cluster, use, log, targets } = scene()
  cluster('a')
  expect(log).toEqual([])
  using first = await use('a')
  using second = await use('a')
  expect(second.target).toBe(first.target)
  expect(log).toEqual(['access a', 'probe a', 'start a'])
  first[Symbol.dispose]()
  second[Symbol.dispose]()
  await targets.close()
  expect(log.slice(3)).toEqual(['stop a', 'close a at https://a.example'])
})

test('what access says is told with its code, without waiting, and passes by itself', async () => {
  const { clock, cluster, use, awayness, targets } = scene()
  const a = cluster('a', { refusal: notReady })
  expect((await awayness('a', 1_000)).failure).toMatchObject({
    code: 'ClusterUnreachable',
    message: 'cluster a: its control plane is being created (ClusterNotReady)',
  })
  const patience = (): number => expect.fail('it is known to be away')
  await expect(targets.use('a', patience, NOW)).rejects.toThrow('ClusterNotReady')
  delete a.refusal
  await clock.advance(5_000)
  using used = await use('a')
  expect(used.target.id).toBe('a')
})

test('one that hangs holds nobody for longer than they are patient, and no other cluster', async () => {
  const { clock, cluster, use, awayness, targets } = scene()
  cluster('hanging', { refusal: 'hangs' })
  cluster('fine')
  expect((await awayness('hanging', 2_000)).message).toContain('is being connected to')
  using used = await use('fine')
  expect(used.target.id).toBe('fine')
  await clock.advance(10_000)
  expect((await awayness('hanging')).message).toContain('gave no answer within 10000 ms')
  used[Symbol.dispose]()
  await targets.close()
})

test('an API server that falls silent is asked in the background until it answers', async () => {
  const { clock, cluster, use, awayness, log } = scene()
  const a = cluster('a')
  const used = await use('a')
  a.isSilent = true
  expect(used.away(silence()).failure.code).toBe('ClusterUnreachable')
  used[Symbol.dispose]()
  log.length = 0
  for (let times = 0; times < 3; times++) expect((await awayness('a')).message).toContain('ECONNREFUSED')
  expect(log).toEqual([])
  await clock.advance(15_000)
  expect(log).toEqual(['probe a', 'probe a', 'probe a'])
  a.isSilent = false
  await clock.advance(5_000)
  expect(log.slice(3)).toEqual(['probe a', 'a can be used'])
  using again = await use('a')
  expect(again.target).toBe(used.target)
})

test('the longer a cluster is away, the longer a run waits for it, until it is back', async () => {
  const { clock, cluster, use, awayness, recovered, targets } = scene()
  const a = cluster('a')
  const used = await use('a')
  expect(recovered).toEqual(['a'])
  a.isSilent = true
  used.away(silence())
  used[Symbol.dispose]()
  const waits: (number | undefined)[] = []
  for (const passed of [0, 25_000, 10_000, 60_000, 600_000, 3_600_000]) {
    for (let slept = 0; slept < passed; slept += 5_000) await clock.advance(5_000)
    await clock.advance(1)
    waits.push((await awayness('a')).retryAfterMs)
  }
  expect(waits).toEqual([5_000, 5_000, 17_502, 47_502, 300_000, 300_000])
  a.isSilent = false
  await clock.advance(5_000)
  expect(recovered).toEqual(['a', 'a'])
  // Away for a moment: whoever waits comes again by itself.
  a.isSilent = true
  const again = await use('a')
  expect(again.away(silence()).retryAfterMs).toBeUndefined()
  again[Symbol.dispose]()
  await clock.advance(20_000)
  expect((await awayness('a')).retryAfterMs).toBe(5_000)
  a.isSilent = false
  await clock.advance(5_000)
  expect(recovered).toEqual(['a', 'a'])
  await targets.close()
})

test('a cluster that is away from the beginning, and one that is gone, end the wait of runs', async () => {
  const { clock, cluster, use, awayness, recovered } = scene()
  const a = cluster('a', { refusal: notReady })
  await awayness('a', 1_000)
  for (let slept = 0; slept < 120_000; slept += 5_000) await clock.advance(5_000)
  expect((await awayness('a')).retryAfterMs).toBeGreaterThan(50_000)
  expect(recovered).toEqual([])
  a.refusal = 'gone'
  await clock.advance(5_000)
  expect(recovered).toEqual(['a'])
  cluster('b')
  ;(await use('b'))[Symbol.dispose]()
  expect(recovered).toEqual(['a', 'b'])
})

test('one that falls silent while nobody asks anything of it is noticed', async () => {
  const { clock, cluster, use, awayness, log } = scene()
  const a = cluster('a')
  ;(await use('a'))[Symbol.dispose]()
  log.length = 0
  for (let times = 0; times < 4; times++) await clock.advance(30_000)
  expect(log).toEqual(['probe a', 'probe a', 'probe a', 'probe a'])
  a.isSilent = true
  await clock.advance(30_000)
  expect(log.slice(4)).toEqual(['probe a', 'a is away'])
  expect((await awayness('a')).message).toContain('ECONNREFUSED')
})

test('an API server that falls silent while its services start is connected to anew', async () => {
  const { clock, cluster, use, awayness, log, targets } = scene()
  const ready = Promise.withResolvers<void>()
  const a = cluster('a', { ready: ready.promise })
  expect((await awayness('a', 2_000)).message).toContain('is being connected to')
  a.isSilent = true
  await clock.advance(5_000)
  expect((await awayness('a')).message).toContain('ECONNREFUSED')
  expect(log.filter((line) => !line.startsWith('probe'))).toEqual([
    'access a',
    'start a',
    'stop a',
    'close a at https://a.example',
    'a is away',
  ])
  a.server = 'https://moved.example'
  ready.resolve()
  await clock.advance(20_000)
  expect(log.filter((line) => line === 'access a')).toHaveLength(1)
  a.isSilent = false
  await clock.advance(5_000)
  using used = await use('a')
  expect(used.target.config.server).toBe('https://moved.example')
  await clock.advance(60_000)
  expect(log.filter((line) => line.startsWith('start'))).toHaveLength(2)
  used[Symbol.dispose]()
  await targets.close()
})

test('a cluster whose server has moved is connected to anew, once those who use it have ended', async () => {
  const { clock, cluster, use, log } = scene()
  const a = cluster('a')
  const used = await use('a')
  a.server = 'https://moved.example'
  await clock.advance(LIFE_MS)
  await expect(used.target.config.credentials.current()).rejects.toThrow('its server has moved')
  expect(log).not.toContain('stop a')
  used[Symbol.dispose]()
  using again = await use('a')
  expect(again.target.config.server).toBe('https://moved.example')
  expect(log.filter((line) => /^(?:stop|close)/.test(line))).toEqual(['stop a', 'close a at https://a.example'])
})

test('one that has moved without a word is found again while its old server is silent', async () => {
  const { clock, cluster, use, awayness, log } = scene()
  const a = cluster('a')
  const used = await use('a')
  Object.assign(a, { server: 'https://moved.example', isSilent: true })
  used.away(silence())
  used[Symbol.dispose]()
  await clock.advance(25_000)
  expect(log.filter((line) => line === 'access a')).toHaveLength(1)
  expect((await awayness('a')).message).toContain('ECONNREFUSED')
  a.isSilent = false
  await clock.advance(10_000)
  using again = await use('a')
  expect(again.target.config.server).toBe('https://moved.example')
})

test('a cluster that stays silent is asked for seldom', async () => {
  const { clock, cluster, use, log } = scene()
  const a = cluster('a')
  const used = await use('a')
  a.isSilent = true
  used.away(silence())
  used[Symbol.dispose]()
  const accesses = () => log.filter((line) => line === 'access a').length
  // After 30 s, 1, 2 and 4 minutes, and then every ten minutes.
  for (let passed = 0; passed < 300_000; passed += 5_000) await clock.advance(5_000)
  expect(accesses()).toBe(1 + 4)
  for (let passed = 0; passed < 3_600_000; passed += 5_000) await clock.advance(5_000)
  expect(accesses()).toBeLessThanOrEqual(1 + 4 + 8)
  expect(log.filter((line) => /^(?:stop|close)/.test(line))).toEqual([])
  a.isSilent = false
  await clock.advance(5_000)
  a.isSilent = true
  await clock.advance(90_000)
  const since = accesses()
  await clock.advance(60_000)
  expect(accesses()).toBe(since + 1)
})

test('one that never answers costs few kubeconfigs, and is connected to at once when it does', async () => {
  const { clock, cluster, use, awayness, log } = scene()
  const a = cluster('a', { isSilent: true })
  await awayness('a', 1_000)
  for (let passed = 0; passed < 600_000; passed += 5_000) await clock.advance(5_000)
  expect((await awayness('a')).message).toContain('ECONNREFUSED')
  expect(log.filter((line) => line === 'probe a').length).toBeGreaterThan(100)
  expect(log.filter((line) => line === 'access a')).toHaveLength(1 + 4)
  a.isSilent = false
  await clock.advance(5_000)
  using used = await use('a')
  expect(used.target.id).toBe('a')
  expect(log.filter((line) => line === 'access a')).toHaveLength(1 + 4)
})

test('a kubeconfig that is of no use is not asked for again and again', async () => {
  const { clock, cluster, use, awayness, log } = scene()
  const a = cluster('a', { refusal: 'half of it' })
  await awayness('a', 1_000)
  for (let passed = 0; passed < 120_000; passed += 5_000) await clock.advance(5_000)
  expect(log.filter((line) => line === 'access a')).toHaveLength(1 + 2)
  expect((await awayness('a')).message).toContain('failed to parse kubeconfig')
  delete a.refusal
  await clock.advance(120_000)
  using used = await use('a')
  expect(used.target.id).toBe('a')
})

test('credentials that the API server refuses for ever are asked for at growing intervals', async () => {
  const { clock, cluster, use, log } = scene()
  const a = cluster('a')
  using used = await use('a')
  const { credentials } = used.target.config
  const renewals = async (ms: number) => {
    const before = log.filter((line) => line === 'access a').length
    for (let passed = 0; passed < ms; passed += 1_000) {
      await clock.advance(1_000)
      await credentials.current().then(
        (refused) => credentials.refused(refused),
        () => {},
      )
    }
    return log.filter((line) => line === 'access a').length - before
  }
  a.isSilent = true
  await clock.advance(1_000)
  expect(await renewals(600_000)).toBeLessThanOrEqual(6)
  const told = await credentials.current().catch((error: unknown) => error)
  expect(told).toBeInstanceOf(ClusterAway)
  expect((told as ClusterAway).message).toContain('new ones are asked for at growing intervals')
})

test('an answer of access that comes late is used', async () => {
  const { clock, cluster, use, awayness, log } = scene()
  const late = Promise.withResolvers<void>()
  cluster('a', { slow: late.promise })
  expect((await awayness('a', 10_000)).message).toContain('gave no answer within 10000 ms')
  await clock.advance(2_000)
  late.resolve()
  await clock.advance(5_000)
  using used = await use('a')
  expect(used.target.id).toBe('a')
  expect(log.filter((line) => line === 'access a')).toHaveLength(1)
})

test('an answer of access that never comes is given up after two minutes', async () => {
  const { clock, cluster, awayness, use, log } = scene()
  const a = cluster('a', { refusal: 'hangs' })
  await awayness('a', 10_000)
  await clock.advance(100_000)
  expect(log.filter((line) => line === 'access a')).toHaveLength(1)
  delete a.refusal
  await clock.advance(30_000)
  using used = await use('a')
  expect(used.target.id).toBe('a')
  expect(log.filter((line) => line === 'access a')).toHaveLength(2)
})

test('one whose kubeconfig is of no use once the present one has ended is away', async () => {
  const { clock, cluster, use } = scene()
  const a = cluster('a')
  using used = await use('a')
  a.refusal = 'half of it'
  await clock.advance(LIFE_MS)
  const error = await used.target.config.credentials.current().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ClusterAway)
  expect((error as ClusterAway).failure).toMatchObject({
    code: 'ClusterUnreachable',
    message: 'cluster a: failed to parse kubeconfig of cluster a: not YAML at line 1 (KubeConfigInvalid)',
  })
})

test('a cluster that is gone is said to be, and not asked for again', async () => {
  const { clock, cluster, targets, log } = scene()
  cluster('a', { refusal: 'gone' })
  expect(await targets.use('a', () => 1_000, NOW)).toBe('gone')
  await clock.advance(60_000)
  expect(await targets.use('a', () => 1_000, NOW)).toBe('gone')
  expect(log).toEqual(['access a'])
})

test('one that goes while it is in use is closed', async () => {
  const { clock, cluster, use, targets, log } = scene()
  const a = cluster('a')
  const used = await use('a')
  a.refusal = 'gone'
  await clock.advance(LIFE_MS)
  await expect(used.target.config.credentials.current()).rejects.toThrow('cluster a is gone')
  used[Symbol.dispose]()
  expect(await targets.use('a', () => 1_000, NOW)).toBe('gone')
  await expect.poll(() => log.at(-1)).toBe('close a at https://a.example')
})

test('those that nobody needs are closed, unless somebody still uses them', async () => {
  const { clock, cluster, use, targets, log } = scene()
  for (const id of ['a', 'b', 'c']) cluster(id)
  const [a, b] = [await use('a'), await use('b')]
  ;(await use('c'))[Symbol.dispose]()
  b[Symbol.dispose]()
  await clock.advance(1)
  await targets.closeUnless((id) => id === 'c')
  expect(log.filter((line) => line.startsWith('stop'))).toEqual(['stop b'])
  a[Symbol.dispose]()
  await clock.advance(1)
  await targets.closeUnless((id) => id === 'c')
  expect(log.filter((line) => line.startsWith('stop'))).toEqual(['stop b', 'stop a'])
})

test('the credentials are in nothing that is told', async () => {
  const { clock, cluster, use, awayness, log } = scene()
  const a = cluster('a')
  const used = await use('a')
  a.refusal = new Error('failed to reach Gardener')
  await clock.advance(LIFE_MS)
  await expect(used.target.config.credentials.current()).rejects.toThrow()
  const away = used.away(silence())
  used[Symbol.dispose]()
  const told = [JSON.stringify(away.failure), String(await awayness('a')), JSON.stringify(log)]
  expect(told.join()).not.toContain(SENTINEL)
})
