import { expect, test } from 'vitest'
import type { FindingView, InspectionView } from '../../../lib/api/contract.ts'
import { grantKey, grantNamed, offersIn, problemsIn } from './grants.ts'

const finding = (more: Partial<FindingView>): FindingView => ({
  code: 'ObjectRefused',
  severity: 'problem',
  message: 'it belongs to the whole cluster',
  object: null,
  switched_off_by: [],
  grant: null,
  ...more,
})
const offer = { grantable: true, because: null, kind: 'ClusterRole', name: '{release}-a/b', objects: [{}], risks: [] }
const never = { grantable: false, because: 'it is a hook', kind: null, name: null, objects: [], risks: [] }
const INSPECTION: InspectionView = {
  findings: [finding({ grant: offer }), finding({ grant: never }), finding({ severity: 'warning' })],
  objects: [],
  domain_at: [],
  record_bytes: null,
}

test('what is granted is no problem any more, and nothing else', () => {
  expect(offersIn(INSPECTION)).toEqual([offer])
  expect(problemsIn(INSPECTION, new Set())).toHaveLength(2)
  expect(problemsIn(INSPECTION, new Set([grantKey(offer)]))).toEqual([finding({ grant: never })])
  expect(grantNamed(grantKey(offer))).toEqual({ kind: 'ClusterRole', name: '{release}-a/b' })
})
