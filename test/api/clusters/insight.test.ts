import { expect, test } from 'vitest'
import type { ClusterView, Problem } from '../../../src/api/contract/index.ts'
import type { ClusterPreview, ClustersInsight } from '../../../src/domains/clusters/usecases/index.ts'
import { raise } from '../../../src/domains/clusters/failures.ts'
import { onServer } from '../../support/postgres.ts'
import { SENTINEL, sentinelIn } from '../../support/sentinel.ts'
import { clustersApi, ORDER } from './world.ts'

const NOT_OFFERED = raise.NotOffered('mars is not offered').failure

const PREVIEW: ClusterPreview = {
  accepted: false,
  problems: [{ field: 'region', message: 'is not offered: mars', supported: ['local'], failure: NOT_OFFERED }],
  fields: [{ field: 'spec.region', change: 'changed', before: 'local', after: 'mars' }],
  nodePools: [
    { name: 'default', change: 'changed', rolls: true, machinesMin: 1, machinesMax: 3, machinesDuringRoll: 4 },
  ],
  limits: { clusters: { used: 1, after: 1, limit: null }, nodes: { used: 3, after: 6, limit: 9 } },
  notConsulted: ['nobody was asked'],
}

/** Answers what it is told to, and remembers what it was asked for. */
function stub() {
  const asked: unknown[] = []
  const insight: ClustersInsight = {
    previewCreate: async (_, organizationId, input) => (asked.push({ organizationId, input }), PREVIEW),
    previewChange: async (_, organizationId, id, change) => (asked.push({ organizationId, id, change }), PREVIEW),
    explain: async () => ({
      why: ['because'],
      next: 'nothing',
      at: 0,
      whoseMove: 'nobody',
      nextStep: null,
      blockers: [],
    }),
    timeline: async (_, _organizationId, _id, limit) => {
      asked.push({ limit })
      return [
        { at: 0, source: 'phase', actor: null, object: null, what: 'ready', message: 'x', count: 1, tone: 'good' },
      ]
    },
    versions: async () => ({
      current: '1.34.3',
      upgrades: [
        { version: '1.35.4', kind: 'minor', classification: 'supported', expiresAt: 0, changes: ['all nodes'] },
      ],
    }),
    landscape: async (_, organizationId) => {
      asked.push({ organizationId })
      return {
        mode: 'mock',
        regions: ['local', 'mars'],
        versions: [{ version: '1.34.3', classification: 'supported', expiresAt: null }],
        machineTypes: [
          { name: 'small', cpu: '1', gpu: '0', memory: '1Gi', isUsable: true },
          { name: 'old', cpu: '1', gpu: '0', memory: '1Gi', isUsable: false },
        ],
        machineImages: [],
        limits: { maxClusters: null, maxNodes: null, regions: ['local'], machineTypes: null },
      }
    },
    kubeconfig: async (_, organizationId, id, seconds) => {
      asked.push({ organizationId, id, seconds })
      return { kubeconfig: SENTINEL, expiresAt: 0 }
    },
  }
  return { insight, asked }
}

test('previews pass on what was asked for, and tell every problem with its field and values', async () => {
  const { insight, asked } = stub()
  await using w = await clustersApi(() => insight)
  const { id } = await w.create(w.owner)
  const payload = { ...ORDER, name: 'two', maintenance: null }
  const create = await w.as(w.member.secret, { method: 'POST', url: `${w.path}:preview`, payload })
  const change = await w.as(w.member.secret, {
    method: 'POST',
    url: `${w.path}/${id}:preview`,
    payload: { hibernated: true, region: 'mars' },
  })
  for (const answer of [create, change]) {
    expect([answer.statusCode, answer.json()]).toMatchObject([
      200,
      {
        accepted: false,
        problems: [{ field: 'region', supported: ['local'], failure: { code: 'NotOffered', whose_move: 'user' } }],
        fields: PREVIEW.fields,
        node_pools: [{ name: 'default', rolls: true, machines_during_roll: 4 }],
        limits: PREVIEW.limits,
        not_consulted: ['nobody was asked'],
      },
    ])
  }
  expect(asked).toMatchObject([
    { organizationId: w.organization.id, input: { name: 'two', region: 'local', maintenance: null } },
    { organizationId: w.organization.id, id, change: { isHibernated: true, region: 'mars', nodePools: undefined } },
  ])
})

test('explain, timeline, versions and regions are told as they are', async () => {
  const { insight, asked } = stub()
  await using w = await clustersApi(() => insight)
  const { id } = await w.create(w.owner)
  const read = async (url: string): Promise<unknown> => (await w.as(w.viewer.secret, { url })).json()
  expect(await read(`${w.path}/${id}/explain`)).toMatchObject({ why: ['because'], at: '1970-01-01T00:00:00.000Z' })
  expect(await read(`${w.path}/${id}/timeline?limit=7`)).toMatchObject({ items: [{ what: 'ready', source: 'phase' }] })
  expect(await read(`${w.path}/${id}/versions`)).toMatchObject({ current: '1.34.3', upgrades: [{ version: '1.35.4' }] })
  expect(await read(`/api/v1/regions?organization_id=${w.organization.id}`)).toEqual({
    mode: 'mock',
    regions: [
      { name: 'local', allowed: true },
      { name: 'mars', allowed: false },
    ],
    versions: [{ version: '1.34.3', classification: 'supported', expires_at: null }],
    machine_types: [{ name: 'small', cpu: '1', gpu: '0', memory: '1Gi', allowed: true }],
  })
  expect(asked).toEqual([{ limit: 7 }, { organizationId: w.organization.id }])
})

test('a kubeconfig is in its response alone: in no log, and kept for no Idempotency-Key', async () => {
  const { insight, asked } = stub()
  await using w = await clustersApi(() => insight)
  const { id } = await w.create(w.owner)
  const url = `${w.path}/${id}/kubeconfig`
  const headers = { 'idempotency-key': 'kubeconfig-1' }
  const ask = (payload: object) => w.as(w.owner.secret, { method: 'POST', url, payload, headers })
  const given = await ask({})
  expect([given.statusCode, given.json()]).toEqual([
    200,
    { kubeconfig: SENTINEL, expires_at: '1970-01-01T00:00:00.000Z' },
  ])
  expect(given.headers['cache-control']).toBe('no-store')
  await ask({ expires_in_seconds: 600 })
  expect(asked).toMatchObject([{ seconds: 3600 }, { seconds: 600 }])
  expect((await ask({ expires_in_seconds: 86_401 })).json<Problem>().errors?.[0]?.field).toBe('expires_in_seconds')
  expect((await ask({ expires_in_seconds: 10 })).statusCode).toBe(400)
  expect(w.log.length).toBeGreaterThan(0)
  expect(sentinelIn(w.log.join('\n'))).toEqual([])
  const { rows } = await onServer(w.url, (client) => client.query('select from caelus.idempotency_key'))
  expect(rows).toEqual([])
  expect((await w.as(w.owner.secret, { url: `${w.path}/${id}` })).json<ClusterView>().generation).toBe(1)
})
