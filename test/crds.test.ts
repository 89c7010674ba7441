import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { Echo } from '../examples/echo/index.ts'
import { charted, CRD_FILES } from '../tools/generate/crds.ts'

const ROOT = join(import.meta.dirname, '..')

test('what is deployed are the kinds of the code and no others', () => {
  const found = globSync('deploy/{crds,chart/templates/crds}/*', { cwd: ROOT })
  expect(found.toSorted()).toEqual(CRD_FILES.map(({ path }) => path).toSorted())
})

test('a kind in the chart stays when the chart goes, and says what the kind says', () => {
  const { path, text } = charted({
    ...Echo,
    manifest: { ...Echo.manifest, metadata: { ...Echo.manifest.metadata, annotations: { note: 'a {{ b }} c' } } },
  })
  expect(path).toBe('deploy/chart/templates/crds/echoes.bench.example.yaml')
  const [first, ...rest] = text.trimEnd().split('\n')
  expect([first, rest.pop()]).toEqual(['{{- if .Values.crds.install }}', '{{- end }}'])
  const manifest = parse(rest.join('\n').replaceAll('{{ "{{" }}', '{{'))
  expect(manifest.metadata.annotations).toEqual({ note: 'a {{ b }} c', 'helm.sh/resource-policy': 'keep' })
  expect(manifest.spec).toEqual(JSON.parse(JSON.stringify(Echo.manifest.spec)))
})
