import { describe, expect, it } from 'vitest'
import { withoutHandedOver } from './hand-over.ts'
import { objectsOf, parseManifest } from './manifest.ts'

const target = { namespace: 'shop', release: 'web' }
const kinds = {
  resourceFor: async (_: string, kind: string) =>
    kind === 'Odd'
      ? undefined
      : {
          group: '',
          version: 'v1',
          kind,
          plural: 'x',
          namespaced: kind !== 'ClusterRole',
          verbs: [],
          subresources: [],
        },
}

describe('the objects of a manifest', () => {
  it('are as Helm applies them: in the namespace where they have one, and marked', async () => {
    const [map, role, elsewhere, odd] = await objectsOf(
      `
# Source: a
apiVersion: v1
kind: ConfigMap
metadata: { name: a, labels: { mine: x } }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: b }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: c, namespace: other }
---
apiVersion: odd.io/v1
kind: Odd
metadata: { name: d }
`,
      target,
      kinds,
    )
    expect(map?.metadata).toEqual({
      name: 'a',
      namespace: 'shop',
      labels: { mine: 'x', 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' },
    })
    expect(role?.metadata).not.toHaveProperty('namespace')
    expect(elsewhere?.metadata.namespace).toBe('other')
    expect(odd?.metadata.namespace).toBe('shop')
  })

  it('are taken out of lists, and empty documents are none', () => {
    const manifest =
      '---\n---\n# only a comment\n---\napiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: Pod, metadata: { name: a } }\n'
    expect(parseManifest(manifest).map(({ metadata }) => metadata.name)).toEqual(['a'])
  })

  it('are read as Helm reads YAML', () => {
    const [object] = parseManifest(
      'apiVersion: v1\nkind: X\nmetadata: { name: a }\ndata: { on: on, mode: 0644, time: 12:30:45, day: 2026-01-01, one: "1" }\n',
    )
    expect(object).toMatchObject({ data: { true: true, mode: 420, time: '12:30:45', day: '2026-01-01', one: '1' } })
  })

  it('are refused with the reason when the text is none', () => {
    expect(() => parseManifest('a: [')).toThrow('failed to read the manifest')
    expect(() => parseManifest('kind: X\nmetadata: {}')).toThrow('no metadata.name')
    expect(() => parseManifest('metadata: { name: x }')).toThrow('no kind')
  })

  it('is bounded', async () => {
    const map = 'kind: ConfigMap\nmetadata: { name: a }\n'
    const many = `---\n${map}`.repeat(2_001)
    const large = `---\n${map}data: { a: ${'x'.repeat(1_500_000)} }\n`
    for (const [manifest, message] of [
      [many, 'more than 2000 objects'],
      [`kind: List\nitems:\n${'- { kind: A, metadata: { name: a } }\n'.repeat(2_001)}`, 'more than 2000 objects'],
      [large.repeat(6), 'more than 8 MiB'],
      [large.replace('xxx', 'x'.repeat(100_000)), 'a document of more than 1.5 MiB'],
      [
        `${map}data: { a: &a [x], b: &b [${'*a,'.repeat(200)}], c: [${'*b,'.repeat(200)}] }`,
        'aliases stand for too much',
      ],
    ] as const) {
      expect(() => parseManifest(manifest)).toThrow(message)
    }
    expect(parseManifest(`---\n${map}`.repeat(2_000))).toHaveLength(2_000)
    // Dashes inside of a line, or indented, separate nothing.
    expect(parseManifest(`${map}data:\n  a: |\n    ---\n    b---\n--- # next\n${map}`)).toHaveLength(2)
  })
})

describe('handing over', () => {
  const manifest =
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 2\n  paused: off\n  note: "off"\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web # kept\ndata:\n  a: "on"\n'

  it('leaves the field out of its object and nothing else', () => {
    const handOver = [{ object: 'Deployment/web', path: 'spec.replicas', owner: 'hpa' }]
    const [deployment, map] = parseManifest(withoutHandedOver(manifest, handOver))
    expect(deployment).toMatchObject({ spec: { paused: false, note: 'off' } })
    expect(deployment).not.toHaveProperty('spec.replicas')
    expect(map).toMatchObject({ data: { a: 'on' } })
  })

  it('passes through what has none of the fields', () => {
    expect(withoutHandedOver(manifest, []).replace(/^---\n/, '')).toBe(manifest)
  })
})
