import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { charts, type ChartsOptions } from '../../../src/domains/apps/helm/index.ts'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { createAuthority } from '../../../tools/control-plane/certificate.ts'
import { registry, repository } from './chart-servers.ts'
import { ROOT } from './world.ts'

const HELLO = join(ROOT, 'charts/hello-static')
const VERSION = '0.1.0'
const fails = (code: string) => ({ failure: { code } })

/** A folder of one's own, and a chart fetcher that keeps its archives there. */
async function scene() {
  const { helm: binary } = await obtainBinaries(['helm'])
  const dir = await mkdtemp(join(tmpdir(), 'caelus-charts-test-'))
  const cacheDir = join(dir, 'cache')
  const env = { HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir, HOME: dir }
  return {
    dir,
    cacheDir,
    fetcher: (over: Partial<ChartsOptions> = {}) => charts({ cacheDir, localPaths: true, ...over }),
    helm: async (...args: string[]) => (await promisify(execFile)(binary, args, { env })).stdout,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

/** A repository folder as Helm itself makes it. */
async function published({ dir, helm }: Awaited<ReturnType<typeof scene>>): Promise<string> {
  const folder = join(dir, 'repository')
  await mkdir(folder)
  await helm('package', HELLO, '--destination', folder)
  await helm('repo', 'index', folder)
  return folder
}

/** Pushes the chart as Helm does; answers with its address. */
const pushed = async ({ dir, helm }: Awaited<ReturnType<typeof scene>>, host: string): Promise<string> => {
  await helm('package', HELLO, '--destination', dir)
  await helm('push', join(dir, `hello-static-${VERSION}.tgz`), `oci://${host}/shop/charts`, '--plain-http')
  return `oci://${host}/shop/charts/hello-static`
}

describe('a chart in a folder', () => {
  it('is packaged to the same bytes wherever and whenever, and says what it is', async () => {
    await using world = await scene()
    const copy = join(world.dir, 'copy')
    await cp(HELLO, copy, { recursive: true })
    await writeFile(join(copy, 'templates/left-out.bak'), 'x')
    await utimes(join(copy, 'values.yaml'), 1, 1)
    const [one, two] = await Promise.all(
      [HELLO, copy].map((ref) => world.fetcher().fetch({ ref, version: VERSION, digest: null })),
    )
    expect(two).toEqual(one)
    expect(one).toMatchObject({ name: 'hello-static', version: VERSION, appVersion: '1.0.0' })
    expect(one?.defaultValues).toMatchObject({ user: { message: 'Hello from Caelus' } })
    expect(one?.valuesSchema).toHaveProperty('properties.user.properties.message')
    expect(await world.helm('show', 'chart', one?.archive ?? '')).toContain('name: hello-static')
    await writeFile(join(copy, 'values.yaml'), 'replicas: 2\n')
    expect((await world.fetcher().fetch({ ref: copy, version: VERSION, digest: null })).digest).not.toBe(one?.digest)
  })

  it('may link to its files, as Helm allows', async () => {
    await using world = await scene()
    const [copy, shared] = [join(world.dir, 'copy'), join(world.dir, 'shared')]
    await cp(HELLO, copy, { recursive: true })
    await rename(join(copy, 'templates'), shared)
    await symlink(shared, join(copy, 'templates'))
    const [linked, plain] = await Promise.all(
      [copy, HELLO].map((ref) => world.fetcher().fetch({ ref, version: VERSION, digest: null })),
    )
    expect(linked?.digest).toBe(plain?.digest)
    await symlink(copy, join(shared, 'again'))
    await expect(world.fetcher().fetch({ ref: copy, version: VERSION, digest: null })).rejects.toMatchObject({
      failure: { code: 'ChartInvalid', message: expect.stringContaining('templates/again links to a folder above it') },
    })
    await rm(join(shared, 'again'))
    await symlink('nowhere', join(copy, 'LICENSE'))
    await expect(world.fetcher().fetch({ ref: copy, version: VERSION, digest: null })).rejects.toMatchObject({
      failure: { code: 'ChartInvalid', message: expect.stringContaining('LICENSE links to nothing') },
    })
  })

  it('is for development alone, and of the version that was asked for', async () => {
    await using world = await scene()
    const location = { ref: HELLO, version: VERSION, digest: null }
    await expect(world.fetcher({ localPaths: false }).fetch(location)).rejects.toMatchObject(fails('ChartForbidden'))
    await expect(world.fetcher().fetch({ ...location, version: '9.9.9' })).rejects.toMatchObject(fails('ChartMissing'))
    await expect(world.fetcher().fetch({ ...location, ref: join(world.dir, 'no') })).rejects.toMatchObject(
      fails('ChartMissing'),
    )
  })
})

describe('a chart in a repository', () => {
  it('is fetched once when it is pinned, and can be had while the repository is away', async () => {
    await using world = await scene()
    const server = await repository(await published(world))
    const ref = `http://${server.host}/hello-static`
    const { digest } = await world.fetcher().fetch({ ref, version: VERSION, digest: null })
    const pinned = { ref, version: VERSION, digest }
    await server[Symbol.asyncDispose]()
    expect(await world.fetcher().fetch(pinned)).toMatchObject({ digest, name: 'hello-static' })
    await expect(world.fetcher().fetch({ ...pinned, digest: null })).rejects.toMatchObject(fails('ChartUnreachable'))
    await rm(world.cacheDir, { recursive: true })
    await expect(world.fetcher().fetch(pinned)).rejects.toMatchObject(fails('ChartUnreachable'))
  })

  it('is refused when it is not the one that was pinned, or not the one in the index', async () => {
    await using world = await scene()
    const folder = await published(world)
    await using server = await repository(folder)
    const ref = `http://${server.host}/hello-static`
    const pinned = { ref, version: VERSION, digest: `sha256:${'0'.repeat(64)}` }
    await expect(world.fetcher().fetch(pinned)).rejects.toMatchObject(fails('DigestMismatch'))
    await expect(world.fetcher().fetch({ ...pinned, digest: 'md5:1' })).rejects.toMatchObject(fails('DigestMismatch'))
    await rename(join(folder, 'index.yaml'), join(folder, 'kept.yaml'))
    await writeFile(
      join(folder, 'index.yaml'),
      (await readFile(join(folder, 'kept.yaml'), 'utf8')).replace(/digest: \w+/, `digest: ${'0'.repeat(64)}`),
    )
    await expect(world.fetcher().fetch({ ...pinned, digest: null })).rejects.toMatchObject(fails('DigestMismatch'))
    expect(await readdir(world.cacheDir).catch(() => [])).toEqual([])
  })

  it('says what is wrong: absent, forbidden, broken, too large, away', async () => {
    await using world = await scene()
    const folder = await published(world)
    const location = (host: string, chart = 'hello-static') => ({
      ref: `http://${host}/${chart}`,
      version: VERSION,
      digest: null,
    })
    const archive = /\.tgz$/
    const answers: readonly (readonly [string, (path: string) => number | Buffer | undefined])[] = [
      ['ChartMissing', (path) => (archive.test(path) ? 404 : undefined)],
      ['ChartForbidden', (path) => (archive.test(path) ? 403 : undefined)],
      ['ChartForbidden', () => 401],
      ['ChartUnreachable', () => 503],
      ['ChartMissing', (path) => (archive.test(path) ? undefined : Buffer.from('entries: {}'))],
      ['ChartUnreachable', (path) => (archive.test(path) ? undefined : Buffer.from('{{'))],
    ]
    for (const [code, instead] of answers) {
      await using server = await repository(folder, instead)
      await expect(world.fetcher().fetch(location(server.host))).rejects.toMatchObject(fails(code))
    }
    await using server = await repository(folder)
    await expect(world.fetcher().fetch(location(server.host, 'other'))).rejects.toMatchObject(fails('ChartMissing'))
    await expect(world.fetcher({ maxArchiveBytes: 100 }).fetch(location(server.host))).rejects.toMatchObject(
      fails('ChartInvalid'),
    )
  })

  it('is given up when its server redirects in a circle', async () => {
    await using world = await scene()
    await using server = await repository(world.dir, (path) => new URL(path, `http://${server.host}`))
    const location = { ref: `http://${server.host}/hello-static`, version: VERSION, digest: null }
    await expect(world.fetcher().fetch(location)).rejects.toMatchObject(fails('ChartUnreachable'))
    expect(server.asked).toHaveLength(6)
  })

  it('is never fetched in plain text from another machine, also not by way of a redirect', async () => {
    await using world = await scene()
    const away = { ref: 'http://charts.example.com/hello-static', version: VERSION, digest: null }
    await expect(world.fetcher().fetch(away)).rejects.toMatchObject(fails('ChartForbidden'))
    await using server = await repository(world.dir, () => new URL('http://charts.example.com/index.yaml'))
    const ref = `http://${server.host}/hello-static`
    await expect(world.fetcher().fetch({ ...away, ref })).rejects.toMatchObject(fails('ChartForbidden'))
  })
})

describe('a chart in a registry', () => {
  it('is what helm pushed there, and stays at hand when the registry goes', async () => {
    await using world = await scene()
    await using server = await registry()
    const ref = await pushed(world, server.host)
    const chart = await world.fetcher().fetch({ ref, version: VERSION, digest: null })
    expect(await readFile(chart.archive)).toEqual(await readFile(join(world.dir, `hello-static-${VERSION}.tgz`)))
    await server[Symbol.asyncDispose]()
    expect(await world.fetcher().fetch({ ref, version: VERSION, digest: chart.digest })).toEqual(chart)
  })

  it('is refused when it is absent or another one', async () => {
    await using world = await scene()
    await using server = await registry()
    const ref = await pushed(world, server.host)
    const location = { ref, version: VERSION, digest: null }
    await expect(world.fetcher().fetch({ ...location, version: '9.9.9' })).rejects.toMatchObject(fails('ChartMissing'))
    await expect(world.fetcher().fetch({ ...location, ref: `oci://${server.host}/no` })).rejects.toMatchObject(
      fails('ChartMissing'),
    )
    const digest = `sha256:${'0'.repeat(64)}`
    await expect(world.fetcher().fetch({ ...location, digest })).rejects.toMatchObject(fails('DigestMismatch'))
  })

  it('is had with a token where the registry asks for one, and nobody reads the password in an error', async () => {
    await using world = await scene()
    await using server = await registry({ password: 'let-me-in' })
    const ref = await pushed(world, server.host)
    const location = { ref, version: VERSION, digest: null }
    const as = (password: string) =>
      world.fetcher({ accessFor: (host) => (host === server.host ? { username: 'puller', password } : undefined) })
    expect(await as('let-me-in').fetch(location)).toMatchObject({ name: 'hello-static' })
    await expect(world.fetcher().fetch(location)).rejects.toMatchObject(fails('ChartForbidden'))
    const refused = await as('wrong-word')
      .fetch(location)
      .catch((error: unknown) => error)
    expect(refused).toMatchObject(fails('ChartForbidden'))
    expect(JSON.stringify(refused)).not.toContain('wrong-word')
  })
})

describe('what is stored for a host', () => {
  it('is not sent to a token service elsewhere', async () => {
    await using world = await scene()
    const seen: (string | undefined)[] = []
    const listener = createServer(({ headers }, response) => {
      seen.push(headers.authorization)
      response.writeHead(200).end('{"token":"t"}')
    })
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    try {
      const foreign = `127.0.0.1:${(listener.address() as AddressInfo).port}`
      await using server = await registry({ password: 'let-me-in', realm: `http://${foreign}/token` })
      const ref = await pushed(world, server.host)
      const known = { username: 'puller', password: 'let-me-in' }
      const fetchWith = (hosts: readonly string[]) =>
        world
          .fetcher({ accessFor: (host) => (hosts.includes(host) ? known : undefined) })
          .fetch({ ref, version: VERSION, digest: null })
      await expect(fetchWith([server.host])).rejects.toMatchObject(fails('ChartForbidden'))
      await expect(fetchWith([server.host, foreign])).rejects.toMatchObject(fails('ChartForbidden'))
      expect(seen).toEqual([undefined, expect.stringMatching(/^Basic /)])
    } finally {
      listener.close()
      await once(listener, 'close')
    }
  })

  it('may be its own authority', async () => {
    await using world = await scene()
    const authority = createAuthority('charts', new Date())
    const tls = authority.issue({ commonName: 'repository', usage: ['server'], names: ['127.0.0.1'] })
    await using server = await repository(await published(world), undefined, { tls })
    const location = { ref: `https://${server.host}/hello-static`, version: VERSION, digest: null }
    await expect(world.fetcher().fetch(location)).rejects.toMatchObject(fails('ChartUnreachable'))
    const accessFor = (host: string) => (host === server.host ? { ca: authority.certified.cert } : undefined)
    expect(await world.fetcher({ accessFor }).fetch(location)).toMatchObject({ name: 'hello-static' })
  })
})

describe('the cache', () => {
  it('serves many at once and leaves one file', async () => {
    await using world = await scene()
    await using server = await repository(await published(world))
    const location = { ref: `http://${server.host}/hello-static`, version: VERSION, digest: null }
    const fetched = await Promise.all(Array.from({ length: 8 }, () => world.fetcher().fetch(location)))
    expect(new Set(fetched.map(({ digest }) => digest)).size).toBe(1)
    expect(await readdir(world.cacheDir)).toHaveLength(1)
  })

  it('does not serve a file that was tampered with', async () => {
    await using world = await scene()
    const { digest, archive } = await world.fetcher().fetch({ ref: HELLO, version: VERSION, digest: null })
    await writeFile(archive, 'not a chart')
    expect(await world.fetcher().fetch({ ref: HELLO, version: VERSION, digest })).toMatchObject({
      name: 'hello-static',
    })
    expect((await readFile(archive)).length).toBeGreaterThan(1_000)
  })

  it('forgets what was used longest ago when it is full, and drafts that nobody finished', async () => {
    await using world = await scene()
    const { archive } = await world.fetcher().fetch({ ref: HELLO, version: VERSION, digest: null })
    const draft = join(world.cacheDir, 'left.draft')
    await writeFile(draft, 'half')
    for (const path of [archive, draft]) await utimes(path, 1_000, 1_000)
    const ref = join(ROOT, 'charts/ledger')
    const { archive: newer } = await world.fetcher({ maxCacheBytes: 1 }).fetch({ ref, version: VERSION, digest: null })
    expect((await readdir(world.cacheDir)).map((name) => join(world.cacheDir, name))).toEqual([newer])
  })
})
