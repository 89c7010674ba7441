import { gunzip } from 'node:zlib'
import { promisify } from 'node:util'
import { FailureError, messageOf } from '../../../kernel/index.ts'
import { statusObject, type KubeObject, type OwnAnswer, type ProxiedRequest } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { contentOf } from '../grants/grant.ts'
import { assertInScope } from '../scope.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { MANIFEST_LIMITS, objectsOf, type Kinds } from './manifest.ts'
import type { ReleaseTarget } from './port.ts'
import { verdictOf, type Reach } from './reach.ts'
import { secretBodyOf } from './secret-body.ts'

export interface SupervisionOptions {
  readonly target: ReleaseTarget
  readonly reach: Reach
  readonly kinds: Kinds
  /** How long Helm may be busy with templates. @default it renders none */
  readonly renderMs?: number
}

/** Templates that ask the API server again and again are as endless as those that do not. */
const LOOKING_UP = 4

/**
 * Follows one call of Helm by its requests.
 *
 * - Helm asks nothing while it renders, and writes nothing before it has rendered. So a long silence before the first
 *   write is a template without end.
 * - The first thing that Helm writes is the record of the release, with the manifest and the hooks in it. They are
 *   checked there, before any object exists and without rendering twice.
 * - Objects of the whole cluster are compared with what was granted once more when they are sent.
 */
export class Supervision implements Disposable {
  readonly #options: SupervisionOptions
  readonly #over = new AbortController()
  readonly #startedAt = performance.now()
  #silence: NodeJS.Timeout | undefined
  #refusal: FailureError | undefined
  #applied: readonly KubeObject[] = []

  constructor(options: SupervisionOptions) {
    this.#options = options
    this.#waitForRequest()
  }

  /** Aborted when the call must end. It has written nothing by then. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  async judge(request: ProxiedRequest): Promise<OwnAnswer | undefined> {
    const verdict = verdictOf(request, this.#options.reach)
    if (this.#silence !== undefined) this.#waitForRequest()
    if (verdict.is === 'answered') return verdict.answer
    if (verdict.is === 'changesCluster') {
      this.#hasRendered()
      return this.#refusing(async () => this.#assertGranted(request))
    }
    if (!verdict.writes) return undefined
    this.#hasRendered()
    return verdict.creates === 'secrets' ? this.#refusing(() => this.#assertRecord(request)) : undefined
  }

  /** The objects of the record that Helm has written, without hooks. */
  get applied(): readonly KubeObject[] {
    return this.#applied
  }

  /** What Helm says about an answer of ours is not as exact as the answer. */
  assertNothingRefused(): void {
    if (this.#refusal !== undefined) throw this.#refusal
  }

  [Symbol.dispose](): void {
    this.#hasRendered()
  }

  #waitForRequest(): void {
    const { renderMs } = this.#options
    if (renderMs === undefined) return
    clearTimeout(this.#silence)
    const left = LOOKING_UP * renderMs - (performance.now() - this.#startedAt)
    const late = (): void =>
      this.#over.abort(raise.RenderTimedOut(`the templates of the chart took more than ${renderMs / 1000} s`))
    this.#silence = setTimeout(late, Math.max(0, Math.min(renderMs, left)))
  }

  #hasRendered(): void {
    clearTimeout(this.#silence)
    this.#silence = undefined
  }

  async #assertRecord({ body }: ProxiedRequest): Promise<void> {
    const { target, kinds } = this.#options
    const record = await recordIn(body)
    if (record === undefined) return
    const read = (text: string) => objectsOf(text, target, kinds)
    const [applied, hooks] = await Promise.all([read(manifestIn(record)), Promise.all(hooksIn(record).map(read))])
    assertInScope([...applied, ...hooks.flat()], target.namespace, target.granted)
    this.#applied = applied
  }

  /** The record was compared before. This is what is sent: no two parsers have to agree about what a manifest says. */
  #assertGranted({ method, headers, body }: ProxiedRequest): void {
    const { namespace, granted } = this.#options.target
    if (method === 'PATCH' && headers['content-type']?.startsWith('application/apply-patch') !== true)
      throw raise.ObjectNotAllowed('granted objects are changed by server-side apply alone, which needs Helm 4')
    const object: unknown = JSON.parse(body.toString('utf8'))
    if (!isJsonObject(object) || !isJsonObject(object['metadata'])) throw new Error('the object has no metadata')
    assertInScope([contentOf(object as unknown as KubeObject) as unknown as KubeObject], namespace, granted)
  }

  async #refusing(check: () => Promise<void>): Promise<OwnAnswer | undefined> {
    try {
      await check()
      return undefined
    } catch (error) {
      this.#refusal =
        error instanceof FailureError
          ? error
          : raise.HelmFailed(`failed to read what Helm writes: ${messageOf(error)}`, { cause: error })
      return { status: 403, body: statusObject(403, 'Forbidden', this.#refusal.failure.message) }
    }
  }
}

const unzip = promisify(gunzip)
/** With the chart in it, which is larger than its manifest. */
const RECORD_BYTES = 4 * MANIFEST_LIMITS.bytes

/** The record of a release in the Secret that is created; `undefined` when it is another Secret. */
async function recordIn(body: Buffer): Promise<JsonObject | undefined> {
  const { type, release } = secretBodyOf(body)
  if (type !== 'helm.sh/release.v1') return undefined
  const inner = Buffer.from(release.toString('latin1'), 'base64')
  const text = await unzip(inner, { maxOutputLength: RECORD_BYTES }).catch((cause: unknown) => {
    throw raise.RenderTooLarge(`the record of the release has more than ${RECORD_BYTES} bytes`, { cause })
  })
  const record: unknown = JSON.parse(text.toString('utf8'))
  return isJsonObject(record) ? record : undefined
}

/** What is applied as part of the release. */
const manifestIn = (record: JsonObject): string => textOf(record['manifest'])

/** What runs beside it. */
const hooksIn = ({ hooks }: JsonObject): string[] =>
  isJsonArray(hooks) ? hooks.map((hook) => (isJsonObject(hook) ? textOf(hook['manifest']) : '')) : []

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
