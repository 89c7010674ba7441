import { readFile, stat } from 'node:fs/promises'
import { raise } from '../failures.ts'
import { digestOf, readChart, type ChartFacts } from './chart-archive.ts'
import { ChartCache } from './chart-cache.ts'
import { packageChart } from './chart-package.ts'
import { isLoopback, shown, type AccessFor } from './download.ts'
import { fetchFromRegistry } from './oci.ts'
import type { Chart, Charts, VerifyArchive } from './port.ts'
import { cannotVerify, Signers, type ProofFor } from './provenance.ts'
import { fetchFromRepository } from './repository.ts'
import type { Fetched, FetchRequest } from './sources.ts'

export interface ChartsOptions {
  /** Archives are kept here by digest; any number of processes may share it. */
  readonly cacheDir: string
  /** What all kept archives together may take. @default 512 MiB */
  readonly maxCacheBytes?: number
  /** The largest archive that is taken. @default 20 MiB */
  readonly maxArchiveBytes?: number
  /** Take charts from the local disk and from servers on loopback too; for development. @default false */
  readonly localPaths?: boolean
  /** @default nothing is known of any host */
  readonly accessFor?: AccessFor
  /** @default charts need no signature */
  readonly proofFor?: ProofFor
  /** How signatures are verified. @default not at all: what has to be signed cannot be had */
  readonly verify?: VerifyArchive
}

/** How many charts are remembered parsed. */
const REMEMBERED = 64

/** Fetches, verifies and keeps charts. A pinned chart is fetched once; afterwards its source may be away. */
export function charts(options: ChartsOptions): Charts {
  const { cacheDir, maxCacheBytes, maxArchiveBytes = 20 * 1024 ** 2, localPaths = false } = options
  const { accessFor = () => undefined } = options
  const cache = new ChartCache({ dir: cacheDir, ...(maxCacheBytes !== undefined && { maxBytes: maxCacheBytes }) })
  const remembered = new Map<string, ChartFacts>()
  const { proofFor = () => undefined, verify = cannotVerify } = options
  const signers = new Signers(cache, verify)

  const describe = async (archive: Buffer, digest: string, source: string): Promise<Chart> => {
    const facts = remembered.get(digest) ?? (await readChart(archive, source))
    remembered.delete(digest)
    remembered.set(digest, facts)
    const [oldest] = remembered.keys()
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
    return { archive: cache.path(digest), digest, ...facts }
  }

  const fetchArchive = async (request: FetchRequest): Promise<Fetched> => {
    if (!localPaths && isLoopback(URL.parse(request.ref.replace(/^oci:/, 'https:'))?.hostname ?? '')) {
      throw raise.ChartForbidden(
        `failed to fetch chart ${shown(request.ref)}: charts of this machine are for development; name another host`,
      )
    }
    if (request.ref.startsWith('oci://')) return fetchFromRegistry(request, accessFor)
    if (/^https?:\/\//.test(request.ref)) return fetchFromRepository(request, accessFor)
    if (!localPaths) {
      throw raise.ChartForbidden(
        `failed to fetch chart ${request.ref}: charts on the local disk are for development; use oci:// or https://`,
      )
    }
    return fromDisk(request)
  }

  return {
    async fetch({ ref, version, digest: pinned }, signal) {
      signal?.throwIfAborted()
      const said = `${shown(ref)} ${version}`
      const proof = await proofFor(hostOf(ref))
      const proven = async (archive: Buffer, chart: Chart): Promise<Chart> => {
        if (proof === undefined) return chart
        const download = async () =>
          (await fetchArchive({ ref, version, what: 'provenance', maxBytes: LARGEST_PROVENANCE, signal })).archive
        return await signers.prove(chart, { ...proof, archive, name: nameIn(ref, chart) }, download, signal)
      }
      if (pinned !== null) {
        if (!/^sha256:[0-9a-f]{64}$/.test(pinned)) {
          throw raise.DigestMismatch(
            `failed to fetch chart ${said}: its digest ${pinned} is not sha256: and 64 hex digits`,
          )
        }
        const kept = await cache.get(pinned)
        if (kept !== undefined) return proven(kept, await describe(kept, pinned, said))
      }
      const { archive, promised } = await fetchArchive({ ref, version, maxBytes: maxArchiveBytes, signal })
      const digest = digestOf(archive)
      for (const [expected, by] of [
        [promised, 'its source'],
        [pinned, 'the template'],
      ] as const) {
        if (expected === undefined || expected === null || expected === digest) continue
        throw raise.DigestMismatch(`failed to fetch chart ${said}: it is ${digest}, and ${by} says ${expected}`)
      }
      const chart = await describe(archive, digest, said)
      if (chart.version !== version) {
        throw raise.ChartMissing(`failed to fetch chart ${said}: what is there is version ${chart.version}`)
      }
      const signed = await proven(archive, chart)
      await cache.put(archive)
      return signed
    },
  }
}

/** Chart.yaml and the digests of files. */
const LARGEST_PROVENANCE = 1024 ** 2

/** Empty: the local disk. */
const hostOf = (ref: string): string =>
  /^(?:oci|https?):/.test(ref) ? (URL.parse(ref.replace(/^oci:/, 'https:'))?.host ?? '') : ''

/** What a registry or repository calls the chart. On the disk it is called what it calls itself. */
const nameIn = (ref: string, chart: Chart): string =>
  hostOf(ref) === '' ? chart.name : (/([^/]+)\/?$/.exec(ref.replace(/[?#].*$/, ''))?.[1] ?? '')

async function fromDisk({ ref, what, maxBytes }: FetchRequest): Promise<Fetched> {
  if (what === 'provenance') {
    const archive = await readFile(`${ref}.prov`).catch((cause: unknown) => {
      throw raise.ChartMissing(`failed to read ${ref}.prov`, { cause })
    })
    return { archive, promised: undefined }
  }
  const stats = await stat(ref).catch((cause: unknown) => {
    throw raise.ChartMissing(`failed to fetch chart ${ref}: there is nothing at that path`, { cause })
  })
  if (!stats.isDirectory() && stats.size > maxBytes) {
    throw raise.ChartInvalid(`failed to fetch chart ${ref}: it has more than ${maxBytes} bytes`)
  }
  const archive = stats.isDirectory() ? await packageChart(ref) : await readFile(ref)
  if (archive.length > maxBytes)
    throw raise.ChartInvalid(`failed to fetch chart ${ref}: it has more than ${maxBytes} bytes`)
  return { archive, promised: undefined }
}
