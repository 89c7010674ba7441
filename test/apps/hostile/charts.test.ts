import { randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Previewed } from '../../../src/domains/apps/index.ts'
import { failureOf, type Failure } from '../../../src/kernel/index.ts'
import { HostileWorld, RENDER_MS, TREASURE, type PublishOptions } from './world.ts'

const execute = promisify(execFile)

/** The thread that answers everybody stands still for no longer, on a busy machine. */
const LONGEST_BLOCK_MS = 1_500

let world: HostileWorld
beforeAll(async () => void (world = await HostileWorld.make()))
afterAll(() => world[Symbol.asyncDispose]())

const map = (text: string, name = 'page'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata:\n  text: ${text}\n`

interface Hostile extends PublishOptions {
  readonly templates: Readonly<Record<string, string>>
  /** The value of the tenant. */
  readonly text?: string
}

/** Publishes and previews it; answers with what a tenant gets to see. */
async function previewed({ templates, text = '', ...options }: Hostile): Promise<Previewed | Failure> {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const since = performance.now()
  try {
    return await world.previewOrder(await world.publish(templates, options), text)
  } catch (error) {
    return failureOf(error)
  } finally {
    delay.disable()
    expect(delay.max / 1e6).toBeLessThan(LONGEST_BLOCK_MS)
    expect(performance.now() - since).toBeLessThan(6 * RENDER_MS)
  }
}

const refusedAs = (code: string, message: RegExp) => ({
  code,
  message: expect.stringMatching(message),
  retryable: false,
})

/** What is reached first depends on the machine. */
const REFUSED_FOR_SIZE_OR_TIME = {
  ...refusedAs('', /took more than|wrote more than|more than 2000 objects/),
  code: expect.stringMatching(/^Render(?:TooLarge|TimedOut)$/) as string,
}

/** Nine to the power of nine elements. */
const BOMB = Array.from({ length: 9 }, (_, level) => {
  const inner = Array.from({ length: 9 }, () => (level === 0 ? 'x' : `*l${level - 1}`)).join(', ')
  return `  l${level}: &l${level} [${inner}]\n`
}).join('')

describe('templates without end', { timeout: 120_000 }, () => {
  test.each<[string, Hostile, ReturnType<typeof refusedAs>]>([
    [
      'loops in loops',
      { templates: { 'a.yaml': map('{{ $l := until 100000 }}{{ range $l }}{{ range $l }}{{ end }}{{ end }}') } },
      refusedAs('RenderTimedOut', /took more than 5 s/),
    ],
    [
      'lookups in a loop',
      { templates: { 'a.yaml': map('{{ range until 1000000 }}{{ lookup "v1" "Secret" "x" "y" }}{{ end }}') } },
      refusedAs('RenderTimedOut', /took more than 5 s/),
    ],
    [
      'a list that fits into no memory',
      { templates: { 'a.yaml': map('{{ range until 1000000000 }}{{ end }}') } },
      refusedAs('RenderTooLarge', /took more than 512 MiB of memory/),
    ],
    [
      'a template that includes itself',
      { templates: { '_x.tpl': '{{ define "x" }}{{ include "x" . }}{{ end }}', 'a.yaml': map('{{ include "x" . }}') } },
      refusedAs('ChartInvalid', /error calling include/),
    ],
    [
      'a value that renders itself',
      { templates: { 'a.yaml': map('{{ tpl .Values.user.text . }}') }, text: '{{ tpl .Values.user.text . }}' },
      REFUSED_FOR_SIZE_OR_TIME,
    ],
  ])('%s', async (_, hostile, refusal) => {
    expect(await previewed(hostile)).toMatchObject(refusal)
  })
})

describe('more than anybody can use', { timeout: 120_000 }, () => {
  test.each<[string, Hostile, ReturnType<typeof refusedAs>]>([
    [
      'hundreds of megabytes of output',
      { templates: { 'a.yaml': map(`{{ range until 4000000 }}{{ "${'x'.repeat(100)}" }}{{ end }}`) } },
      refusedAs('RenderTooLarge', /took more than 512 MiB of memory|wrote more than 32 MiB/),
    ],
    [
      'a manifest of nine megabytes, from a file of the chart',
      {
        templates: { 'a.yaml': map('{{ .Files.Get "big.txt" | quote }}') },
        files: { 'big.txt': Buffer.alloc(9_000_000, 'a') },
      },
      refusedAs('RenderTooLarge', /more than 8 MiB/),
    ],
    [
      'a binary file in one object',
      {
        templates: { 'a.yaml': map('{{ .Files.Get "big.bin" | b64enc }}') },
        files: { 'big.bin': randomBytes(2_000_000) },
      },
      refusedAs('RenderTooLarge', /a document of more than 1.5 MiB/),
    ],
    [
      'a file that is larger than a chart may be',
      { templates: { 'a.yaml': map('x') }, files: { 'big.bin': randomBytes(25_000_000) } },
      refusedAs('ChartInvalid', /more than 20971520 bytes/),
    ],
    [
      'ten thousand objects',
      { templates: { 'a.yaml': `{{ range until 10000 }}---\n${map('x', 'page-{{ . }}')}{{ end }}` } },
      // Helm looks for each of them before it says what there is.
      REFUSED_FOR_SIZE_OR_TIME,
    ],
  ])('%s', async (_, hostile, refusal) => {
    expect(await previewed(hostile)).toMatchObject(refusal)
  })
})

describe('YAML that unfolds', () => {
  test('in what is rendered', async () => {
    const bomb = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: page }\ndata:\n${BOMB}`
    expect(await previewed({ templates: { 'a.yaml': bomb } })).toMatchObject(refusedAs('ChartInvalid', /aliasing/))
    const deep = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: page }\ndata: {{ repeat 20000 "[" }}{{ repeat 20000 "]" }}\n`
    expect(await previewed({ templates: { 'a.yaml': deep } })).toMatchObject(refusedAs('ChartInvalid', /max depth/))
  })

  test.each([
    ['values.yaml', `user:\n${BOMB}`],
    ['Chart.yaml', `apiVersion: v2\nname: odd\nversion: 1.0.0\nannotations:\n${BOMB}`],
    ['values.yaml', `user: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`],
  ])('in %s', async (file, content) => {
    const refused = await previewed({ templates: { 'a.yaml': map('x') }, files: { [file]: content } })
    expect(refused).toMatchObject(refusedAs('ChartInvalid', new RegExp(file.replace('.', '\\.'))))
  })
})

describe('what does not belong to a release', () => {
  const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: evil }\nrules: []\n'

  test.each([
    ['a cluster-scoped object', role, /ClusterRole\/evil \(cluster-scoped\)/],
    [
      'its own namespace',
      'apiVersion: v1\nkind: Namespace\nmetadata: { name: "{{ .Release.Namespace }}" }\n',
      /Namespace\/\S+ \(the platform makes the namespace\)/,
    ],
    [
      'an object in another namespace',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: evil, namespace: kube-system }\n',
      /ConfigMap\/evil in namespace kube-system/,
    ],
    [
      'one in a list',
      `apiVersion: v1\nkind: List\nitems:\n  - ${role.trim().replaceAll('\n', '\n    ')}\n`,
      /ClusterRole\/evil/,
    ],
  ])('%s is refused by name', async (_, template, message) => {
    expect(await previewed({ templates: { 'a.yaml': template } })).toMatchObject(refusedAs('ObjectNotAllowed', message))
  })

  test.each([
    ['env', '{{ env "HOME" }}'],
    ['expandenv', '{{ expandenv "$HOME" }}'],
  ])('the environment (%s)', async (name, text) => {
    const refused = await previewed({ templates: { 'a.yaml': map(text) } })
    expect(refused).toMatchObject(refusedAs('ChartInvalid', new RegExp(`function "${name}" not defined`)))
  })

  test('names of the network', async () => {
    const shown = await previewed({ templates: { 'a.yaml': map('"<{{ getHostByName "localhost" }}>"') } })
    expect(JSON.stringify(shown)).toContain('"<>"')
  })
})

/** An archive of a chart, made by the system's tar. */
async function archived(folder: string, ...more: readonly string[]): Promise<string> {
  const archive = `${folder}.tgz`
  await execute('tar', ['-czPf', archive, ...more, '-C', dirname(folder), basename(folder)])
  return archive
}

test('an archive that links to a file outside of it shows nothing of the file', async () => {
  const folder = await world.write({ 'a.yaml': map('x') })
  const outside = join(world.worker.dir, 'outside')
  await writeFile(outside, map(TREASURE, 'outside'))
  await symlink(outside, join(folder, 'templates', 'b.yaml'))
  const shown = await world.previewOrder(await world.worker.publish(await archived(folder)))
  expect(JSON.stringify(shown)).not.toContain(TREASURE)
})

test('an archive with a file outside of its folder is refused', async () => {
  const folder = await world.write({ 'a.yaml': map('x') })
  const archive = await archived(folder, '--transform', 's,templates/a.yaml,../../evil.yaml,')
  await expect(world.worker.publish(archive)).rejects.toMatchObject({
    failure: refusedAs('ChartInvalid', /its archive has \S+evil\.yaml, which is outside of its folder/),
  })
})
