import { expect, test } from 'vitest'
import { showPreview, type ClusterPreview } from './preview.ts'

const preview = (change: string, more: Partial<ClusterPreview> = {}): ClusterPreview => ({
  accepted: true,
  problems: [],
  fields: [],
  node_pools: [{ name: 'default', change, rolls: false, machines_min: 1, machines_max: 3, machines_during_roll: 3 }],
  limits: { clusters: { used: 1, after: 1, limit: null }, nodes: { used: 3, after: 3, limit: null } },
  not_consulted: [],
  ...more,
})

function shown(given: ClusterPreview): string {
  let text = ''
  try {
    showPreview({ out: (more) => void (text += more) }, 'prod', given, 'table')
  } catch {
    // Refused: what was printed counts.
  }
  return text
}

test('says that nothing would change only where that is so', () => {
  const nothing = 'nothing would change'
  expect(shown(preview('unchanged'))).toContain(nothing)
  expect(shown(preview('added'))).not.toContain(nothing)
  expect(shown(preview('changed'))).not.toContain(nothing)
  expect(shown(preview('unchanged', { not_consulted: ['Gardener did not answer'] }))).not.toContain(nothing)
  expect(shown(preview('unchanged', { fields: [{ field: 'spec.x', change: 'added', after: 1 }] }))).toContain(
    '+ spec.x',
  )
})

test('counts one and many', () => {
  const limits = { clusters: { used: 1, after: 2, limit: 5 }, nodes: { used: 1, after: 6, limit: null } }
  expect(shown(preview('added', { limits }))).toContain(
    'uses 1 of 5 clusters and 1 node now; with this change, 2 clusters and 6 nodes\n',
  )
})

test('lists the supported values where there are some', () => {
  const failure = { code: 'X', message: 'x', whose_move: 'user', retryable: false, next_step: 'y' } as const
  const refused = (supported: readonly string[] | null): string =>
    shown(preview('added', { accepted: false, problems: [{ field: 'region', message: 'no', supported, failure }] }))
  expect(refused(['a', 'b'])).toContain('! region: no; supported: a, b\n')
  for (const none of [[], null]) expect(refused(none)).toContain('! region: no\n')
})
