import { raise } from '../failures.ts'
import type { Gardener, ShootWatch } from './gardener.ts'
import { aborted, service } from '../../../kernel/index.ts'

/**
 * The Gardener of the API, which is opened later. Until then every call fails. It has no watch: what people are shown is asked
 * for, with all fields, of which a watch keeps some. */
export interface LateGardener {
  readonly gardener: Gardener
  readonly become: (opened: Gardener) => void
}

export function lateGardener(mode: Gardener['mode']): LateGardener {
  let opened: Gardener | undefined
  const it = (): Gardener => {
    if (opened === undefined) throw raise.GardenerUnreachable('this server is not connected to Gardener yet')
    return opened
  }
  return { gardener: routed(mode, it), become: (next) => void (opened = next) }
}

const ELSEWHERE =
  'Gardener is simulated in the memory of the worker, which this process cannot see: run `caelus up`, or set GARDENER_MODE=real'

/** The mock of a process without a worker: it knows what can be ordered, and no Shoot. */
export const withoutShoots = (mock: Gardener): Gardener =>
  routed('mock', (method) => {
    if (method === 'catalogue' || method === 'ping') return mock
    throw raise.GardenerUnreachable(ELSEWHERE)
  })

const UNWATCHED: ShootWatch = {
  ...service('no watch', async (signal, ready) => {
    ready()
    await aborted(signal)
  }),
  ofCluster: () => undefined,
  all: () => [],
  onChange: () => () => {},
  isCurrent: false,
}

/** Asks at every call which Gardener is to answer it. */
const routed = (mode: Gardener['mode'], to: (method: keyof Gardener) => Gardener): Gardener => ({
  mode,
  shoots: UNWATCHED,
  ensureProject: async (...given) => await to('ensureProject').ensureProject(...given),
  apply: async (...given) => await to('apply').apply(...given),
  dryRun: async (...given) => await to('dryRun').dryRun(...given),
  annotate: async (...given) => await to('annotate').annotate(...given),
  remove: async (...given) => await to('remove').remove(...given),
  find: async (...given) => await to('find').find(...given),
  list: async (...given) => await to('list').list(...given),
  catalogue: async (...given) => await to('catalogue').catalogue(...given),
  adminKubeconfig: async (...given) => await to('adminKubeconfig').adminKubeconfig(...given),
  ping: async (...given) => await to('ping').ping(...given),
})
