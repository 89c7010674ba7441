import { createHash } from 'node:crypto'
import { tarOf } from './tar.ts'
import type { TarEntry } from './tar.ts'

export interface ImageOptions {
  /** With its tag: `local.test/busybox:1`. */
  readonly name: string
  readonly entries: readonly TarEntry[]
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
}

const ARCHITECTURE: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const EPOCH = '1970-01-01T00:00:00Z'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const file = (name: string, content: Uint8Array): TarEntry => ({ name, type: 'file', mode: 0o644, content })

/** A container image of one layer, as the archive that `docker save` would write. No daemon, no registry. */
export function imageArchive(options: ImageOptions): Buffer {
  const layer = tarOf(options.entries)
  const digest = sha256(layer)
  const config = Buffer.from(
    JSON.stringify({
      architecture: ARCHITECTURE[process.arch] ?? process.arch,
      os: 'linux',
      created: EPOCH,
      config: {
        Env: ['PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
        WorkingDir: '/',
        Entrypoint: options.entrypoint ?? [],
        Cmd: options.command ?? [],
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
      history: [{ created: EPOCH, created_by: 'caelus' }],
    }),
  )
  const configName = `${sha256(config)}.json`
  const layerName = `${digest}/layer.tar`
  const manifest = Buffer.from(JSON.stringify([{ Config: configName, RepoTags: [options.name], Layers: [layerName] }]))
  return tarOf([file(configName, config), file(layerName, layer), file('manifest.json', manifest)])
}
