import { describe, expect, it } from 'vitest'
import { isSameField } from './same.ts'
import type { FieldPath } from './path.ts'

/** What the API server makes of a value that was applied, as a server of version 1.34 stores it. */
const CASES: readonly [what: string, path: FieldPath, wanted: unknown, live: unknown, same: boolean][] = [
  ['an equal value', ['spec', 'a'], 1, 1, true],
  ['another value', ['spec', 'a'], 1, 2, false],
  ['an empty text of a field, dropped', ['env', { key: { name: 'A' } }, 'value'], '', undefined, true],
  ['an empty text of a label, lost', ['metadata', 'labels', 'a'], '', undefined, false],
  ['an empty text of an annotation, lost', ['metadata', 'annotations', 'a'], '', undefined, false],
  ['an empty text of a ConfigMap, lost', ['data', 'a'], '', undefined, false],
  ['labels with an empty text, lost', ['metadata', 'labels'], { a: '' }, undefined, false],
  ['a zero or false, dropped', ['spec', 'c'], { d: false, e: 0, f: '', g: null }, undefined, true],
  ['an empty list or map, dropped', ['spec'], { a: [], b: {} }, undefined, true],
  ['a list with a zero, lost', ['spec', 'a'], [0], undefined, false],
  ['null, not set', ['spec', 'a'], null, undefined, true],
  ['a value, lost', ['spec', 'a'], 'x', null, false],
  ['cpu in another form', ['resources', 'limits', 'cpu'], '1000m', 1, true],
  ['memory in another form', ['resources', 'requests', 'memory'], '1024Mi', '1Gi', true],
  ['another amount', ['resources', 'limits', 'cpu'], '1', '1100m', false],
  ['a size limit in another form', ['emptyDir', 'sizeLimit'], '1024Mi', '1Gi', true],
  ['a quota in another form', ['spec', 'hard', 'pods'], 10, '10', true],
  ['a target of an autoscaler in another form', ['target', 'averageValue'], '0.5', '500m', true],
  ['a text that looks like a quantity', ['spec', 'limit'], '1', '1000m', false],
  ['a text of a ConfigMap that looks like a quantity', ['data', 'a'], '1024Mi', '1Gi', false],
  ['a number as text', ['spec', 'port'], 80, '80', false],
]

describe('a live value', () => {
  it.each(CASES)('%s', (_, path, wanted, live, same) => {
    expect(isSameField(wanted, live, path)).toBe(same)
  })
})
