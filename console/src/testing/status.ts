import type { DomainName, DomainView, StatusView } from '../lib/api/contract.ts'

const SINCE = '2026-11-15T10:00:00.000Z'
const DOMAINS: readonly DomainName[] = ['apps', 'clusters', 'runtimes', 'actions', 'edge']

export const domain = (name: DomainName, rest: Partial<DomainView> = {}): DomainView => ({
  name,
  enabled: false,
  health: 'disabled',
  message: '',
  objects: 0,
  not_ready: 0,
  since: SINCE,
  ...rest,
})

/** An installation in which all is well and no domain is enabled; a test changes what it is about. */
export const status = (rest: Partial<StatusView> = {}): StatusView => ({
  version: '1.2.3',
  started_at: SINCE,
  now: SINCE,
  components: [
    { name: 'postgresql', health: 'ok', message: '', version: '18.4', since: SINCE },
    { name: 'kubernetes', health: 'ok', message: '', version: 'v1.35.0', since: SINCE },
  ],
  preparation: null,
  kubernetes: {
    version: 'v1.35.0',
    origin: 'local',
    nodes: [{ name: 'node-1', ready: true, version: 'v1.35.0', since: SINCE }],
  },
  queue: { due: 0, running: 0, waiting: 0, parked: 0 },
  domains: DOMAINS.map((name) => domain(name)),
  ...rest,
})
