import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { imageArchive } from './image.ts'
import { tarOf } from './tar.ts'

const deep = `${'folder/'.repeat(20)}file`

test('an archive is read by tar, whatever the length of its names', () => {
  const archive = tarOf([
    { name: 'bin', type: 'directory', mode: 0o755 },
    { name: 'bin/program', type: 'file', mode: 0o755, content: Buffer.from('x'.repeat(600)) },
    { name: 'bin/alias', type: 'link', mode: 0o777, target: 'program' },
    { name: deep, type: 'file', mode: 0o644 },
  ])
  const listed = execFileSync('tar', ['-tvf', '-'], { input: archive, encoding: 'utf8' }).trimEnd().split('\n')
  expect(listed.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^drwxr-xr-x .* bin\/?$/),
    expect.stringMatching(/^-rwxr-xr-x .* 600 .* bin\/program$/),
    expect.stringMatching(/^lrwxrwxrwx .* bin\/alias -> program$/),
    expect.stringMatching(new RegExp(`^-rw-r--r-- .* ${deep}$`)),
  ])
})

test('a name that the format cannot hold is refused', () => {
  expect(() => tarOf([{ name: 'x'.repeat(101), type: 'file', mode: 0o644 }])).toThrow('its name is too long')
})

test('an image names its layer by content, so the same files make the same image', () => {
  const image = imageArchive({
    name: 'local.test/x:1',
    entries: [{ name: 'a', type: 'file', mode: 0o644 }],
    command: ['/a'],
  })
  expect(
    imageArchive({ name: 'local.test/x:1', entries: [{ name: 'a', type: 'file', mode: 0o644 }], command: ['/a'] }),
  ).toEqual(image)
  const extract = (name: string) => execFileSync('tar', ['-xOf', '-', name], { input: image })
  const [manifest] = JSON.parse(extract('manifest.json').toString()) as Array<{
    RepoTags: string[]
    Layers: [string]
    Config: string
  }>
  expect(manifest?.RepoTags).toEqual(['local.test/x:1'])
  const layer = extract(manifest?.Layers[0] ?? '')
  const config = JSON.parse(extract(manifest?.Config ?? '').toString()) as {
    rootfs: { diff_ids: string[] }
    config: { Cmd: string[] }
  }
  expect(config.rootfs.diff_ids).toEqual([`sha256:${createHash('sha256').update(layer).digest('hex')}`])
  expect(config.config.Cmd).toEqual(['/a'])
})
