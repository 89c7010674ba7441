import { createHash } from 'node:crypto'
import { failureOf } from '../../../kernel/index.ts'
import { raise } from '../failures.ts'
import type { ChartCache } from './chart-cache.ts'
import { unarmored } from './keyring.ts'
import type { Chart, Signer, VerifyArchive } from './port.ts'

/** What charts of a host have to prove: that one of these keys, in ASCII armor, signed them. */
export interface Proof {
  readonly keyring: string
}

/** For a host; empty: the local disk. `undefined`: nothing has to be proven. */
export type ProofFor = (host: string) => Proof | undefined | Promise<Proof | undefined>

/** How many verdicts are remembered. */
const REMEMBERED = 64

/**
 * Who signed charts. What was verified once is remembered for this process and these keys; the `.prov` files are kept with
 * the archives.
 */
export class Signers {
  readonly #cache: ChartCache
  readonly #verify: VerifyArchive
  readonly #known = new Map<string, Signer>()

  constructor(cache: ChartCache, verify: VerifyArchive) {
    this.#cache = cache
    this.#verify = verify
  }

  /** The chart with its signer. `download` fetches the `.prov` file from the source of the chart. */
  async prove(
    chart: Chart,
    { archive, name, keyring }: { readonly archive: Buffer; readonly name: string } & Proof,
    download: () => Promise<Buffer>,
    signal?: AbortSignal,
  ): Promise<Chart> {
    const fileName = `${chart.name}-${chart.version}.tgz`
    // A signature says nothing about where a chart is offered: one chart must not pass for another of the same signer.
    if (chart.name !== name) throw unverified(name, `what is there calls itself ${chart.name}`)
    if (!/^[\w.+-]+$/.test(fileName)) throw unverified(name, 'its name or version is not one that a file can have')
    const key = `${chart.digest} ${createHash('sha256').update(keyring).digest('hex')}`
    const known = this.#known.get(key)
    if (known !== undefined) return { ...chart, signedBy: known }
    const verify = (provenance: Buffer): Promise<Signer> =>
      this.#verify({ fileName, archive, provenance, keyring: unarmored(keyring) }, signal)
    const kept = await this.#cache.provenance(chart.digest)
    // It may have been signed anew since, by another key.
    const before = kept && (await verify(kept).catch(ifUnverified))
    const signedBy = before ?? (await this.#fresh(chart, download, verify))
    if (this.#known.size >= REMEMBERED) this.#known.clear()
    this.#known.set(key, signedBy)
    return { ...chart, signedBy }
  }

  async #fresh(
    { digest, name, version }: Chart,
    download: () => Promise<Buffer>,
    verify: (provenance: Buffer) => Promise<Signer>,
  ): Promise<Signer> {
    const provenance = await download().catch((error: unknown) => {
      if (failureOf(error).code !== 'ChartMissing') throw error
      throw unverified(`${name} ${version}`, 'its source has no provenance file (.prov) for it', error)
    })
    const signedBy = await verify(provenance)
    await this.#cache.putProvenance(digest, provenance)
    return signedBy
  }
}

function ifUnverified(error: unknown): undefined {
  if (failureOf(error).code !== 'ChartUnverified') throw error
}

export const unverified = (chart: string, why: string, cause?: unknown) =>
  raise.ChartUnverified(`failed to verify chart ${chart}: ${lastLine(why)}`, { cause })

/** Of what Helm says, the line that says why. */
const lastLine = (text: string): string => (/^Error: (.*)/m.exec(text)?.[1] ?? text).trim().slice(0, 300)

const KEY = /^Using Key With Fingerprint: ([0-9A-F]{40,64})\nChart Hash Verified: /gm

/** As `helm verify` tells it. Only its last lines are Helm's own words; a key may call its owner anything. */
export function signerIn(chart: string, told: string): Signer {
  const [, fingerprint] = [...told.matchAll(KEY)].at(-1) ?? []
  const [, identity = ''] = /^Signed by: (.*)$/m.exec(told) ?? []
  if (fingerprint === undefined) throw unverified(chart, 'helm did not say who signed it')
  return { fingerprint, identity: identity.replaceAll(/\p{C}/gu, '').slice(0, 200) }
}

export const cannotVerify: VerifyArchive = ({ fileName }) =>
  Promise.reject(unverified(fileName, 'no Helm is connected to verify it with'))
