import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { contentsOf } from './chart-contents.ts'
import { tarOf } from './tar.ts'

const packed = (files: Readonly<Record<string, string | Buffer>>): Buffer =>
  gzipSync(tarOf(Object.entries(files).map(([name, text]) => ({ name: `odd/${name}`, content: Buffer.from(text) }))))

const crd = (kind: string): string =>
  `spec:\n  group: odd.example.org\n  names: { kind: ${kind} }\n  versions: [{ name: v0, served: false }, { name: v1 }]\n`

it('looks into the charts in a chart, and over what cannot be read', async () => {
  const sub = packed({ 'Chart.yaml': 'name: sub\n', 'crds/a.yaml': crd('Gizmo') })
  const { definedKinds, missingDependencies, kept } = await contentsOf(
    packed({
      'Chart.yaml': 'name: odd\ndependencies: [{ name: sub }, { name: dir }, { name: gone }, { name: sub-other }]\n',
      'charts/sub-1.0.0.tgz': sub,
      'charts/broken-1.0.0.tgz': 'not an archive',
      'charts/dir/Chart.yaml': 'name: dir\n',
      'crds/b.yaml': `${crd('Widget')}---\n# nothing\n---\nspec: 3\n`,
      'crds/bad.yaml': '{{',
      'README.md': 'hello',
    }),
  )
  expect(definedKinds).toEqual([
    { apiVersion: 'odd.example.org/v1', kind: 'Widget' },
    { apiVersion: 'odd.example.org/v1', kind: 'Gizmo' },
  ])
  expect(missingDependencies).toEqual(['gone', 'sub-other'])
  expect(kept.map(({ name }) => name)).toEqual(['Chart.yaml', 'crds/b.yaml', 'crds/bad.yaml', 'README.md'])
})

it('reads the dependencies of charts of the first format', async () => {
  const files = { 'Chart.yaml': 'name: odd\n', 'requirements.yaml': 'dependencies: [{ name: gone }]\n' }
  expect((await contentsOf(packed(files))).missingDependencies).toEqual(['gone'])
})
