import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDirectory } from '../binaries/index.ts'
import type { OnProgress } from '../progress.ts'
import { imageArchive } from './image.ts'
import { nginxPackages } from './packages.ts'
import { entriesOf } from './tar.ts'
import type { TarEntry } from './tar.ts'

/** The images a real node knows from the start; it can pull no others. */
export const NODE_IMAGES = {
  pause: 'local.test/pause:1',
  busybox: 'local.test/busybox:1',
  kubectl: 'local.test/kubectl:1',
  nginx: 'local.test/nginx:1',
} as const

interface Ingredients {
  /** Where the packages of the node were unpacked. */
  readonly runtime: string
  readonly kubectl: string
  readonly onProgress: OnProgress
}

/** Increment it when the images change, so that archives in the cache are built again. */
const RECIPE = '1'

/** Paths of the image archives, made the first time. */
export async function nodeImages(from: Ingredients): Promise<string[]> {
  const busybox = await readFile(join(from.runtime, 'bin/busybox'))
  const kubectl = await readFile(from.kubectl)
  const key = createHash('sha256').update(RECIPE).update(busybox).update(kubectl).digest('hex').slice(0, 12)
  const folder = join(cacheDirectory(), 'node', `images-${key}`)
  await mkdir(folder, { recursive: true })
  const keep = async (name: keyof typeof NODE_IMAGES, make: () => Promise<Buffer>): Promise<string> => {
    const path = join(folder, `${name}.tar`)
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path
    from.onProgress({ what: `making image ${NODE_IMAGES[name]}`, elapsedMs: 0 })
    await writeFile(`${path}.${process.pid}`, await make())
    await rename(`${path}.${process.pid}`, path)
    return path
  }
  const base = await baseEntries(busybox, join(from.runtime, 'bin/busybox'))
  const program: TarEntry = { name: 'usr/bin/kubectl', type: 'file', mode: 0o755, content: kubectl }
  return [
    // The pause container holds the namespaces of its pod until it is terminated.
    await keep('pause', () =>
      image('pause', base, { command: ['sh', '-c', 'trap exit TERM; while :; do sleep 3600 & wait $!; done'] }),
    ),
    await keep('busybox', () => image('busybox', base, { command: ['sh'] })),
    await keep('kubectl', () => image('kubectl', [...base, program], { entrypoint: ['kubectl'] })),
    await keep('nginx', async () =>
      image('nginx', [...base, ...(await nginxEntries(from.onProgress))], { command: ['nginx'] }),
    ),
  ]
}

const image = async (
  name: keyof typeof NODE_IMAGES,
  entries: readonly TarEntry[],
  start: { readonly entrypoint?: readonly string[]; readonly command?: readonly string[] },
): Promise<Buffer> => imageArchive({ name: NODE_IMAGES[name], entries, ...start })

const folder = (name: string, mode = 0o755): TarEntry => ({ name, type: 'directory', mode })
const text = (name: string, content: string): TarEntry => ({
  name,
  type: 'file',
  mode: 0o644,
  content: Buffer.from(content),
})

async function baseEntries(busybox: Buffer, program: string): Promise<TarEntry[]> {
  const { stdout } = await promisify(execFile)(program, ['--list'])
  const applets = stdout.split('\n').filter((name) => name !== '' && name !== 'busybox')
  return [
    ...['bin', 'etc', 'root', 'run', 'usr', 'usr/bin', 'usr/sbin', 'var'].map((name) => folder(name)),
    folder('tmp', 0o1777),
    { name: 'bin/busybox', type: 'file', mode: 0o755, content: busybox },
    ...applets.map((name): TarEntry => ({ name: `bin/${name}`, type: 'link', mode: 0o777, target: 'busybox' })),
    text(
      'etc/passwd',
      'root:x:0:0:root:/root:/bin/sh\nwww-data:x:33:33::/var/www:/bin/false\nnobody:x:65534:65534::/:/bin/false\n',
    ),
    text('etc/group', 'root:x:0:\nwww-data:x:33:\nadm:x:4:\nnogroup:x:65534:\n'),
  ]
}

const NGINX_CONFIG = `daemon off;
worker_processes 1;
pid /tmp/nginx.pid;
error_log /dev/stderr info;
events { worker_connections 64; }
http {
  include mime.types;
  access_log /dev/stdout;
  client_body_temp_path /tmp/body; proxy_temp_path /tmp/proxy; fastcgi_temp_path /tmp/fastcgi; uwsgi_temp_path /tmp/uwsgi; scgi_temp_path /tmp/scgi;
  server { listen 80 default_server; listen 8080 default_server; root /usr/share/nginx/html; index index.html; }
}
`

async function nginxEntries(onProgress: OnProgress): Promise<TarEntry[]> {
  const root = await nginxPackages(onProgress)
  const wanted = /^(lib|lib64|usr\/lib|usr\/sbin\/nginx|etc\/nginx\/mime.types)/
  const superfluous = /^usr\/lib\/.*(gconv|audit)\//
  const entries = (await entriesOf(root)).filter(({ name }) => wanted.test(name) && !superfluous.test(name))
  return [
    folder('etc/nginx'),
    ...entries,
    folder('usr/share'),
    folder('usr/share/nginx'),
    folder('usr/share/nginx/html'),
    folder('var/log'),
    folder('var/log/nginx'),
    text('etc/nginx/nginx.conf', NGINX_CONFIG),
  ]
}
