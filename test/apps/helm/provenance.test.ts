import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../../src/domains/apps/helm/chart-archive.ts'
import { charts, helmCli, type Charts } from '../../../src/domains/apps/helm/index.ts'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { signingKey, type SigningKey } from '../../support/open-pgp.ts'
import { registry, repository } from './chart-servers.ts'
import { ROOT } from './world.ts'

const VERSION = '0.1.0'
const ADA = signingKey('Ada Lovelace <ada@example.com>')
const EVE = signingKey('Ada Lovelace <eve@example.com>')
const BY_ADA = { fingerprint: ADA.fingerprint, identity: ADA.identity }

/** A folder with packaged charts, the real Helm, and chart fetchers that share one cache. */
async function scene() {
  const { helm: binary } = await obtainBinaries(['helm'])
  const dir = await mkdtemp(join(tmpdir(), 'caelus-provenance-test-'))
  const folder = join(dir, 'repository')
  await mkdir(folder)
  const env = { HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir, HOME: dir }
  const helm = async (...args: string[]) => (await promisify(execFile)(binary, args, { env })).stdout
  for (const name of ['hello-static', 'ledger'])
    await helm('package', join(ROOT, 'charts', name), '--destination', folder)
  const archive = (name = 'hello-static') => join(folder, `${name}-${VERSION}.tgz`)
  const kinds = { resourceFor: () => Promise.resolve(undefined) }
  const { verify } = helmCli({ binary, kubeconfig: join(dir, 'none'), kinds, home: join(dir, 'home'), tempDir: dir })
  return {
    folder,
    helm,
    archive,
    /** As `helm package --sign` does. */
    async sign(key: SigningKey, name = 'hello-static', as = `${name}-${VERSION}.tgz`) {
      const digest = digestOf(await readFile(archive(name)))
      const text = `apiVersion: v2\nname: ${name}\nversion: ${VERSION}\n\n...\nfiles:\n  ${as}: ${digest}\n`
      await writeFile(`${archive(name)}.prov`, key.clearSign(text))
    },
    index: () => helm('repo', 'index', folder),
    /** A process of its own. */
    fetcher: (keyring?: string): Charts =>
      charts({
        cacheDir: join(dir, 'cache'),
        localPaths: true,
        proofFor: () => (keyring === undefined ? undefined : { keyring }),
        verify,
      }),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

const unverified = (why: RegExp) => ({ failure: { code: 'ChartUnverified', message: expect.stringMatching(why) } })

describe('a chart that has to be signed', () => {
  it('is had from a repository with its signer, and again when the repository is away', async () => {
    await using world = await scene()
    await world.sign(ADA)
    await world.index()
    const server = await repository(world.folder)
    const location = { ref: `http://${server.host}/hello-static`, version: VERSION, digest: null }
    const ring = `${EVE.publicKey}\n${ADA.publicKey}`
    const fetcher = world.fetcher(ring)
    const { digest, signedBy } = await fetcher.fetch(location)
    expect(signedBy).toEqual(BY_ADA)
    expect(await fetcher.fetch({ ...location, digest })).toMatchObject({ signedBy: BY_ADA })
    await server[Symbol.asyncDispose]()
    expect(await world.fetcher(ring).fetch({ ...location, digest })).toMatchObject({ signedBy: BY_ADA })
    expect(await world.fetcher().fetch({ ...location, digest })).not.toHaveProperty('signedBy')
  })

  it('is had from a registry, as helm pushed it', async () => {
    await using world = await scene()
    await using server = await registry()
    const push = () => world.helm('push', world.archive(), `oci://${server.host}/shop`, '--plain-http')
    const location = { ref: `oci://${server.host}/shop/hello-static`, version: VERSION, digest: null }
    await push()
    await expect(world.fetcher(ADA.publicKey).fetch(location)).rejects.toMatchObject(unverified(/no provenance file/))
    await world.sign(ADA)
    await push()
    expect(await world.fetcher(ADA.publicKey).fetch(location)).toMatchObject({ signedBy: BY_ADA })
    await expect(world.fetcher(EVE.publicKey).fetch(location)).rejects.toMatchObject(unverified(/unknown entity/))
  })

  it('is refused without a signature, with that of another key, and when it was changed afterwards', async () => {
    await using world = await scene()
    await world.index()
    await using server = await repository(world.folder)
    const location = { ref: `http://${server.host}/hello-static`, version: VERSION, digest: null }
    const fetched = () => world.fetcher(ADA.publicKey).fetch(location)
    await expect(fetched()).rejects.toMatchObject(unverified(/no provenance file/))
    await world.sign(EVE)
    await expect(fetched()).rejects.toMatchObject(unverified(/unknown entity/))
    await world.sign(ADA)
    const provenance = await readFile(`${world.archive()}.prov`, 'utf8')
    await writeFile(`${world.archive()}.prov`, provenance.replace(/sha256:\w{8}/, 'sha256:00000000'))
    await expect(fetched()).rejects.toMatchObject(unverified(/invalid signature/))
    await writeFile(`${world.archive()}.prov`, provenance)
    expect(await fetched()).toMatchObject({ signedBy: BY_ADA })
    const changed = join(world.folder, '..', 'hello-static')
    await cp(join(ROOT, 'charts/hello-static'), changed, { recursive: true })
    await writeFile(join(changed, 'README.md'), 'changed')
    await world.helm('package', changed, '--destination', world.folder)
    await world.index()
    await expect(fetched()).rejects.toMatchObject(unverified(/sha256 sum does not match/))
  })

  it('does not pass for another chart of the same signer', async () => {
    await using world = await scene()
    await world.sign(ADA, 'ledger')
    await world.index()
    const index = join(world.folder, 'index.yaml')
    await using server = await repository(world.folder)
    const location = { ref: `http://${server.host}/hello-static`, version: VERSION, digest: null }
    await writeFile(
      index,
      (await readFile(index, 'utf8'))
        .replace(/^ {2}hello-static:/m, '  other:')
        .replace(/^ {2}ledger:/m, '  hello-static:'),
    )
    expect(await world.fetcher().fetch(location)).toMatchObject({ name: 'ledger' })
    await expect(world.fetcher(ADA.publicKey).fetch(location)).rejects.toMatchObject(unverified(/calls itself ledger/))
  })

  it('is verified although it was fetched before that was required, and again by other keys', async () => {
    await using world = await scene()
    await world.index()
    await using server = await repository(world.folder)
    const ref = `http://${server.host}/hello-static`
    const { digest } = await world.fetcher().fetch({ ref, version: VERSION, digest: null })
    const pinned = { ref, version: VERSION, digest }
    await expect(world.fetcher(ADA.publicKey).fetch(pinned)).rejects.toMatchObject(unverified(/no provenance file/))
    await world.sign(ADA)
    expect(await world.fetcher(ADA.publicKey).fetch(pinned)).toMatchObject({ signedBy: BY_ADA })
    await expect(world.fetcher(EVE.publicKey).fetch(pinned)).rejects.toMatchObject(unverified(/unknown entity/))
    // Signed anew, the kept signature is replaced.
    await world.sign(EVE)
    expect(await world.fetcher(EVE.publicKey).fetch(pinned)).toMatchObject({
      signedBy: { fingerprint: EVE.fingerprint },
    })
  })

  it('may lie on the disk, packaged', async () => {
    await using world = await scene()
    await world.sign(ADA)
    const location = { ref: world.archive(), version: VERSION, digest: null }
    expect(await world.fetcher(ADA.publicKey).fetch(location)).toMatchObject({ signedBy: BY_ADA })
    const folder = { ...location, ref: join(ROOT, 'charts/hello-static') }
    await expect(world.fetcher(ADA.publicKey).fetch(folder)).rejects.toMatchObject(unverified(/no provenance file/))
  })
})
