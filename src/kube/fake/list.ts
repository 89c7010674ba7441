import { badRequest, gone, Refusal } from './failure.ts'
import { type Json, without } from './json.ts'
import { apiVersionOf, type KindInfo } from './registry.ts'
import type { Selector } from './selector.ts'
import type { Storage } from './storage.ts'
import { partial } from './watch.ts'

export interface ListRequest {
  readonly kind: KindInfo
  readonly namespace: string | undefined
  readonly selects: Selector
  readonly limit: number
  readonly continueToken: string
  readonly resourceVersion: string
  readonly metadataOnly: boolean
}

interface Rest {
  readonly version: number
  readonly items: readonly Json[]
}

/** Lists in pages. All pages of a list have one version, until that version is compacted. */
export class Lists {
  readonly #rests = new Map<string, Rest>()
  readonly #storage: Storage
  #tokens = 0

  constructor(storage: Storage) {
    this.#storage = storage
  }

  list(request: ListRequest): Json {
    const { kind, limit, metadataOnly } = request
    const { version, items } = request.continueToken === '' ? this.#begin(request) : this.#resume(request.continueToken)
    const page = limit > 0 ? items.slice(0, limit) : items
    const rest = items.slice(page.length)
    const continued = rest.length > 0 && {
      continue: this.#keep({ version, items: rest }),
      remainingItemCount: rest.length,
    }
    return {
      kind: metadataOnly ? 'PartialObjectMetadataList' : `${kind.kind}List`,
      apiVersion: metadataOnly ? 'meta.k8s.io/v1' : apiVersionOf(kind),
      metadata: { resourceVersion: String(version), ...continued },
      items: page.map((object) =>
        metadataOnly ? partial(object) : kind.custom ? object : without(object, 'apiVersion', 'kind'),
      ),
    }
  }

  #begin({ kind, namespace, selects, resourceVersion }: ListRequest): Rest {
    const { version } = this.#storage
    if (Number(resourceVersion) > version) {
      const text = `Timeout: Too large resource version: ${resourceVersion}, current: ${version}`
      throw new Refusal(504, 'Timeout', text, { retryAfterSeconds: 1 })
    }
    return { version, items: this.#storage.list(kind, namespace).filter(selects) }
  }

  #resume(token: string): Rest {
    const rest = this.#rests.get(token)
    if (rest === undefined) throw badRequest(`invalid continue token: ${token}`)
    if (rest.version >= this.#storage.oldest) return rest
    throw gone(
      'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
    )
  }

  #keep(rest: Rest): string {
    const token = `page-${++this.#tokens}`
    this.#rests.set(token, rest)
    return token
  }
}
