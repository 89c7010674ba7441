import { parse } from 'yaml'
import { raise } from '../failures.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../values/json.ts'
import { download, shown, type CredentialsFor } from './download.ts'
import type { Fetched, FetchRequest } from './sources.ts'

const LARGEST_INDEX = 32 * 1024 ** 2

/** A classic repository: `index.yaml` lists charts and where their archives are. The last segment of `ref` is the chart. */
export async function fetchFromRepository(
  { ref, version, maxBytes, signal }: FetchRequest,
  credentialsFor: CredentialsFor,
): Promise<Fetched> {
  const [, base = '', chart = ''] = /^(.*)\/([^/]+)\/?$/.exec(ref.replace(/[?#].*$/, '')) ?? []
  const said = `chart ${shown(ref)} ${version}`
  const headers = authorization(base, credentialsFor)
  const index = await download({ url: `${base}/index.yaml`, headers, maxBytes: LARGEST_INDEX, signal })
  refuse(index.status, said)
  const entry = entryIn(index.body.toString('utf8'), chart, version)
  if (entry === undefined)
    throw raise.ChartMissing(`failed to fetch ${said}: the index of the repository does not list it`)
  const url = new URL(entry.url, `${base}/`).href
  const isHome = new URL(url).origin === new URL(base).origin
  const archive = await download({ url, headers: isHome ? headers : {}, maxBytes, signal })
  refuse(archive.status, said)
  return { archive: archive.body, promised: entry.digest }
}

function authorization(url: string, credentialsFor: CredentialsFor): Readonly<Record<string, string>> {
  const known = credentialsFor(URL.parse(url)?.host ?? '')
  return known === undefined ? {} : { authorization: basic(known) }
}

export const basic = ({ username, password }: { readonly username: string; readonly password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Every status but success has its failure: what is absent, what is not ours, and what may come back. */
export function refuse(status: number, said: string): void {
  if (status < 300) return
  const why = `failed to fetch ${said}: the server answered ${status}`
  if (status === 401 || status === 403) throw raise.ChartForbidden(why)
  if (status === 404 || status === 410) throw raise.ChartMissing(why)
  throw raise.ChartUnreachable(why)
}

function entryIn(
  text: string,
  chart: string,
  version: string,
): { readonly url: string; readonly digest: string | undefined } | undefined {
  const index = parsed(text)
  const entries = isJsonObject(index) ? index['entries'] : undefined
  const versions = isJsonObject(entries) ? entries[chart] : undefined
  const entry = isJsonArray(versions)
    ? versions.find((one): one is JsonObject => isJsonObject(one) && one['version'] === version)
    : undefined
  const urls = entry?.['urls']
  const [url] = isJsonArray(urls) ? urls : []
  if (typeof url !== 'string') return undefined
  const digest = entry?.['digest']
  return { url, digest: typeof digest === 'string' ? `sha256:${digest.replace(/^sha256:/, '')}` : undefined }
}

/** Everything as text: a version `1.10` and a digest of digits are no numbers. */
function parsed(text: string): unknown {
  try {
    return parse(text, { schema: 'failsafe' })
  } catch (cause) {
    throw raise.ChartUnreachable('failed to read index.yaml of the repository: it cannot be parsed', { cause })
  }
}
