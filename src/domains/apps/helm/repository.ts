import { failureOfStatus, problemOfStatus, type UrlAnswer } from '../../../http/index.ts'
import { raise } from '../failures.ts'
import { download, FAILURES, shown, type Access, type AccessFor } from './download.ts'
import { parsed } from './parsing.ts'
import type { Fetched, FetchRequest } from './sources.ts'

const LARGEST_INDEX = 32 * 1024 ** 2

/** A repository with an `index.yaml` of charts and the URLs of their archives. The last segment of `ref` is the chart. */
export async function fetchFromRepository(
  { ref, version, what: part, maxBytes, signal }: FetchRequest,
  accessFor: AccessFor,
): Promise<Fetched> {
  const [, base = '', chart = ''] = /^(.*)\/([^/]+)\/?$/.exec(ref.replace(/[?#].*$/, '')) ?? []
  const what = `chart ${shown(ref)} ${version}`
  const headers = await authorization(base, accessFor)
  const index = await download({ url: `${base}/index.yaml`, headers, maxBytes: LARGEST_INDEX, accessFor, signal })
  requireSuccess(index, what)
  const entry = await parsed(
    `the index of ${shown(base)}`,
    'index',
    [index.body.toString('utf8'), chart, version],
    signal,
  )
  if (entry === undefined)
    throw raise.ChartMissing(`failed to fetch ${what}: the index of the repository does not list it`)
  const address = new URL(entry.url, `${base}/`)
  if (part === 'provenance') address.pathname += '.prov'
  const url = address.href
  const isHome = address.origin === new URL(base).origin
  const archive = await download({ url, from: base, headers: isHome ? headers : {}, maxBytes, accessFor, signal })
  requireSuccess(archive, what)
  return { archive: archive.body, promised: part === 'provenance' ? undefined : entry.digest }
}

async function authorization(url: string, accessFor: AccessFor): Promise<Readonly<Record<string, string>>> {
  const known = basic(await accessFor(URL.parse(url)?.host ?? ''))
  return known === undefined ? {} : { authorization: known }
}

/** `undefined`: anonymous. */
export const basic = ({ username, password }: Access = {}): string | undefined =>
  username === undefined || password === undefined
    ? undefined
    : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** `what` completes the sentence "failed to fetch …". */
export function requireSuccess(answer: UrlAnswer, what: string): void {
  if (problemOfStatus(answer.status) !== undefined) throw failureOfStatus(FAILURES, `fetch ${what}`, answer)
}
