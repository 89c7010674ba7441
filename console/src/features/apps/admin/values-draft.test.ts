import { describe, expect, it } from 'vitest'
import { EMPTY_DRAFT, objectIn, requestOf, rulesIn } from './values-draft.ts'

describe('what is said about the values of a chart', () => {
  it('is nothing when everything is as usual', () => {
    expect(requestOf(EMPTY_DRAFT)).toEqual({})
  })

  it('names what differs', () => {
    const draft = {
      ...EMPTY_DRAFT,
      values: '{"rbac":{"create":false}}',
      domainPaths: 'serverName, ingress.hosts[0].host,',
      plan: '{"size":1}',
      atRoot: true,
    }
    expect(requestOf(draft)).toEqual({
      default_values: { rbac: { create: false } },
      layout: { domain_paths: ['serverName', 'ingress.hosts[0].host'], plan: { size: 1 }, user_values: 'root' },
    })
    const untold = { ...EMPTY_DRAFT, tellsIngressClass: false, tellsCaelus: false, ingressClassPaths: 'a.b' }
    expect(requestOf(untold)).toEqual({ layout: { ingress_class_paths: [], caelus_values: false } })
  })

  it('takes rules for drift as a list', () => {
    const rules = [{ kind: 'Deployment', paths: ['/spec/replicas'] }]
    expect(requestOf({ ...EMPTY_DRAFT, driftIgnore: JSON.stringify(rules) })).toEqual({ drift_ignore: rules })
    expect(['', '{}', '[1]', '['].map(rulesIn)).toEqual([[], undefined, undefined, undefined])
  })

  it('takes objects only', () => {
    expect([objectIn(''), objectIn('{"a":1}'), objectIn('[1]'), objectIn('{')]).toEqual([
      {},
      { a: 1 },
      undefined,
      undefined,
    ])
  })
})
