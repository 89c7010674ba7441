import type { UrlAnswer } from '../../../http/index.ts'
import { raise } from '../failures.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../values/json.ts'
import { download, isLoopback, shown, type AccessFor } from './download.ts'
import { basic, requireSuccess } from './repository.ts'
import type { Fetched, FetchRequest } from './sources.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const LAYERS = {
  archive: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
  provenance: 'application/vnd.cncf.helm.chart.provenance.v1.prov',
} as const
const LARGEST_MANIFEST = 4 * 1024 ** 2
const LARGEST_TOKEN = 256 * 1024

/** A chart in a registry: its tag is the version with `_` for `+`, its archive the layer with the media type of charts. */
export async function fetchFromRegistry(
  { ref, version, what: part = 'archive', maxBytes, signal }: FetchRequest,
  accessFor: AccessFor,
): Promise<Fetched> {
  const address = URL.parse(ref.replace(/^oci:/, 'https:'))
  const what = `chart ${ref} ${version}`
  if (address === null || address.pathname.length < 2)
    throw raise.ChartMissing(`failed to fetch ${what}: it is not an address`)
  const name = address.pathname.slice(1).replace(/\/$/, '')
  // A registry on loopback is for development and has no certificate.
  const home = `${isLoopback(address.hostname) ? 'http' : 'https'}://${address.host}/v2/${name}`
  const session = registrySession(address.host, name, accessFor)
  const get = (url: string, accept: string, limit: number): Promise<UrlAnswer> =>
    session({ url, accept, maxBytes: limit, signal })

  const manifest = await get(`${home}/manifests/${version.replaceAll('+', '_')}`, MANIFEST, LARGEST_MANIFEST)
  requireSuccess(manifest, what)
  const layer = layerIn(manifest.body.toString('utf8'), LAYERS[part])
  if (layer === undefined && part === 'provenance')
    throw raise.ChartMissing(`failed to fetch the provenance of ${what}: it was pushed without`)
  if (layer === undefined) throw raise.ChartInvalid(`failed to fetch ${what}: the manifest has no layer with a chart`)
  const blob = await get(`${home}/blobs/${layer}`, 'application/octet-stream', maxBytes)
  requireSuccess(blob, what)
  return { archive: blob.body, promised: layer }
}

function layerIn(text: string, mediaType: string): string | undefined {
  const manifest = parsed(text)
  const layers = isJsonObject(manifest) ? manifest['layers'] : undefined
  const layer = isJsonArray(layers)
    ? layers.find((one): one is JsonObject => isJsonObject(one) && one['mediaType'] === mediaType)
    : undefined
  const digest = layer?.['digest']
  return typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Get {
  readonly url: string
  readonly accept: string
  readonly maxBytes: number
  readonly signal: AbortSignal | undefined
}

/** Answers the registry's challenge once, and uses the token for all requests of this chart. */
function registrySession(host: string, name: string, accessFor: AccessFor): (get: Get) => Promise<UrlAnswer> {
  let token: string | undefined
  return async ({ url, accept, maxBytes, signal }) => {
    const attempt = (): Promise<UrlAnswer> =>
      download({
        url,
        headers: { accept, ...(token !== undefined && { authorization: token }) },
        maxBytes,
        accessFor,
        signal,
      })
    const first = await attempt()
    if (first.status !== 401 || token !== undefined) return first
    token = await answer(first.headers.get('www-authenticate') ?? '', { host, name, accessFor, signal })
    return token === undefined ? first : attempt()
  }
}

async function answer(
  challenge: string,
  {
    host,
    name,
    accessFor,
    signal,
  }: { host: string; name: string; accessFor: AccessFor; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  if (/^basic\b/i.test(challenge)) return basic(await accessFor(host))
  const fields = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]))
  const realm = URL.parse(fields.get('realm') ?? '')
  if (!/^bearer\b/i.test(challenge) || realm === null) return undefined
  realm.searchParams.set('service', fields.get('service') ?? host)
  realm.searchParams.set('scope', fields.get('scope') ?? `repository:${name}:pull`)
  // Credentials of the registry are not sent to the host that its challenge names.
  const authorization = basic(await accessFor(realm.host))
  const headers = authorization === undefined ? {} : { authorization }
  const request = { url: realm.href, from: `https://${host}`, headers, maxBytes: LARGEST_TOKEN, accessFor, signal }
  const response = await download(request)
  requireSuccess(response, `a token from ${shown(realm.href)}`)
  const body = parsed(response.body.toString('utf8'))
  const token = isJsonObject(body) ? (body['token'] ?? body['access_token']) : undefined
  return typeof token === 'string' ? `Bearer ${token}` : undefined
}
