import { expect, test } from 'vitest'
import { previewText } from './insight.ts'

test('a preview says what the API server refuses or was not asked about', () => {
  const refusal = 'StatefulSet/db: failed to apply: spec: Forbidden: updates to statefulset spec'
  const changed = {
    object: 'StatefulSet/db',
    change: 'changed',
    fields: [{ field: 'spec.size', change: 'changed', before: 1, after: 2 }],
  }
  expect(previewText({ values: [], objects: [changed], not_consulted: [refusal] })).toBe(
    `~ StatefulSet/db\n  ~ spec.size: 1 -> 2\n! not confirmed by the API server: ${refusal}\n`,
  )
  expect(previewText({ values: [], objects: [], not_consulted: [refusal] })).toBe(
    `nothing would change\n! not confirmed by the API server: ${refusal}\n`,
  )
  expect(previewText({ values: [], objects: [] })).toBe('nothing would change\n')
})

test('a preview tells what stays as it is', () => {
  const kept = { object: 'Deployment/web', field: 'spec.replicas', because: 'the template ignores /spec/replicas' }
  expect(previewText({ values: [], objects: [], left_alone: [kept] })).toBe(
    'nothing would change\n= Deployment/web spec.replicas stays as it is: the template ignores /spec/replicas\n',
  )
})
