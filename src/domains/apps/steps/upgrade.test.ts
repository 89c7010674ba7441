import { expect, test } from 'vitest'
import { manualClock, seededRandom } from '../../../kernel/index.ts'
import { FakeKubernetes } from '../../../kube/fake/index.ts'
import { ConfigMap, discovery, makeClient } from '../../../kube/index.ts'
import { createNamespace, installFence } from '../fence.ts'
import type { ReleaseRecord } from '../helm/port.ts'
import { Observer } from '../observe.ts'
import type { AppsParts } from '../parts.ts'
import type { LoadedDeployment } from '../rows.ts'
import { upgrade } from './upgrade.ts'
import { DEFAULT_LAYOUT } from '../values/layout.ts'

const PAGE = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'page' },
  data: { text: 'old' },
} as const
const NEW_PAGE = { ...PAGE, data: { text: 'new' } }

const LOADED = {
  deployment: {
    id: '7',
    namespaceName: 'shop',
    releaseName: 'shop',
    userId: '1',
    domainname: 'shop.example.com',
    userValues: {},
    sealedValues: {},
    appliedTemplateId: '1',
    retries: 0,
    unrepairable: [],
    rollout: null,
    deletedAt: null,
  },
  template: {
    id: '2',
    chartRef: 'page',
    chartVersion: '2.0.0',
    chartDigest: null,
    defaultValues: {},
    overrides: {},
    capabilities: {},
    driftIgnore: [],
    valuesSchema: null,
    layout: DEFAULT_LAYOUT,
    deletedAt: null,
  },
} as unknown as LoadedDeployment

/** A release of an older template in a cluster in memory, and what Helm was asked for. */
async function scene() {
  const clock = manualClock()
  const transport = new FakeKubernetes({ clock, random: seededRandom(1) }).transport()
  const client = makeClient(transport, { fieldManager: 'helm' })
  await installFence(client)
  await createNamespace({ client, clock }, { namespace: 'shop', deploymentId: '7', userId: '1', fence: 1 })
  await client.apply(ConfigMap, PAGE)
  const record: ReleaseRecord = { revision: 1, status: 'deployed', updatedAt: 0, digest: 'old', objects: [PAGE] }
  const asked: string[] = []
  const parts = {
    client,
    discovery: discovery(transport, clock),
    clock,
    charts: { fetch: async () => ({}) },
    releases: { newest: async () => record },
    helm: {
      render: async () => (asked.push('render'), [NEW_PAGE]),
      upgrade: async () => (asked.push('upgrade'), { revision: 2 }),
    },
    settings: { ingressClass: 'nginx', digestSalt: '' },
  } as unknown as AppsParts
  const observer = new Observer(parts)
  const pass = async (): Promise<void> => {
    const sighting = await observer.observe(LOADED)
    expect(sighting.wanted).toMatchObject({ claims: [] })
    const { signal } = new AbortController()
    const context = { parts: { ...parts, client: asUs(client) }, loaded: LOADED, sighting, fence: 1, signal }
    await upgrade({ do: 'upgrade', timeoutMs: 1, keepClaims: [], handOver: [] }, { ...context, hasEntered: true })
  }
  return { asked, pass }
}

/** Rights are not what is tried here. */
const asUs = (client: AppsParts['client']): AppsParts['client'] => ({ ...client, as: () => client })

test('what a look has rendered is not rendered again for the upgrade that follows', async () => {
  const { asked, pass } = await scene()
  await pass()
  expect(asked).toEqual(['render', 'upgrade'])
})

test('a try that knows the claims from the one before renders for itself', async () => {
  const { asked, pass } = await scene()
  await pass()
  await pass()
  expect(asked).toEqual(['render', 'upgrade', 'render', 'upgrade'])
})
