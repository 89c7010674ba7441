import { targetName } from '../src/kernel/index.ts'
import type { KubeRequest, KubeResponse, Lease } from '../src/kube/index.ts'
import type { Life } from './life.ts'
import type { Witness } from './network.ts'

/** Laws that hold in every scenario. */
export type StandingLaw =
  | 'nothing is written under a past term'
  | 'two holders never work on one target'
  | 'nothing is written under an older fence'
  | 'no secret leaves'

export interface Objection {
  readonly law: StandingLaw
  readonly how: string
}

interface Holding {
  /** The life that took or renewed it last, and until when that counts. */
  readonly by: string
  readonly until: number
  /** The target it locks. Absent: the Lease of an election. */
  readonly target: string | undefined
}

const LEASES = '/apis/coordination.k8s.io/v1/'
const TARGET_ANNOTATION = 'caelus.dev/target'

/**
 * Watches what processes send and what is done of it.
 *
 * A write counts at the moment it leaves its process: what left in time and arrives late was written in time. What the
 * process believes is not asked; who holds a Lease is read from the Leases that the server accepted.
 */
export class StandingLaws implements Witness {
  readonly #now: () => number
  readonly #holdings = new Map<string, Holding>()
  /** The Leases that a life took and did not give back. */
  readonly #believed = new Map<string, Set<string>>()
  readonly #fences = new Map<string, number>()
  readonly #of: StandingLaws | undefined
  #broken: Objection | undefined

  /** `of`: those of the world, which learn what is broken here. */
  constructor(now: () => number, of?: StandingLaws) {
    this.#now = now
    this.#of = of
  }

  get broken(): Objection | undefined {
    return this.#broken
  }

  break(law: StandingLaw, how: string): void {
    this.#broken ??= { law, how }
    this.#of?.break(law, how)
  }

  /** The same laws on another control plane. Its Leases and fences have nothing to do with those of this one. */
  elsewhere(): StandingLaws {
    return new StandingLaws(this.#now, this)
  }

  /** A store has accepted a write to `target` under `fence`. */
  fenced(target: string, fence: number): void {
    const newest = this.#fences.get(target) ?? 0
    if (fence < newest)
      this.break('nothing is written under an older fence', `${target} was written under ${fence} after ${newest}`)
    this.#fences.set(target, Math.max(newest, fence))
  }

  sent(life: Life, request: KubeRequest): string | undefined {
    // A process that releases a Lease believes in it no longer, whatever the server answers.
    if (request.method === 'DELETE') this.#believed.get(life.name)?.delete(leaseIn(request.path) ?? '')
    const believed = this.#believed.get(life.name)
    if (believed === undefined || request.method === 'GET' || isExempt(request)) return undefined
    for (const lease of believed) {
      const holding = this.#holdings.get(lease)
      if (holding === undefined || holding.by === life.name || holding.until <= this.#now()) continue
      if (holding.target !== undefined && !targetsOf(request).has(holding.target)) continue
      const what = holding.target === undefined ? `Lease ${lease}` : `the lock on ${holding.target}`
      return `${life.name} sent ${request.method} ${request.path} after ${holding.by} took ${what}`
    }
    return undefined
  }

  done(life: Life, request: KubeRequest, response: KubeResponse, objection: string | undefined): void {
    if (response.status >= 300 || request.query?.['dryRun'] !== undefined) return
    if (objection !== undefined)
      this.break(
        objection.includes('the lock on')
          ? 'two holders never work on one target'
          : 'nothing is written under a past term',
        objection,
      )
    if (request.path.startsWith(LEASES) && request.method !== 'GET') this.#note(life, request, response.body as Lease)
  }

  /** A process works under a Lease only once it knows that it has it. */
  answered(life: Life, request: KubeRequest, { status, body }: KubeResponse): void {
    if (status >= 300 || request.method === 'GET' || !request.path.startsWith(LEASES)) return
    const lease = body as Lease
    if (request.method === 'DELETE' || !lease.spec?.holderIdentity) return
    const believed = this.#believed.get(life.name) ?? new Set()
    this.#believed.set(life.name, believed.add(nameOf(request, lease)))
  }

  #note(life: Life, request: KubeRequest, lease: Lease): void {
    const { metadata, spec } = lease
    const name = nameOf(request, lease)
    if (request.method === 'DELETE' || !spec?.holderIdentity) {
      this.#holdings.delete(name)
      this.#believed.get(life.name)?.delete(name)
      return
    }
    const until = this.#now() + (spec.leaseDurationSeconds ?? 0) * 1000
    this.#holdings.set(name, { by: life.name, until, target: metadata?.annotations?.[TARGET_ANNOTATION] })
  }
}

/** The answer to a DELETE is a Status: the path names the Lease. */
const nameOf = ({ path }: KubeRequest, { metadata }: Lease): string =>
  leaseIn(path) ?? `${metadata?.namespace}/${metadata?.name}`

/** The namespace and name of the Lease that a path is about. */
const leaseIn = (path: string): string | undefined => {
  const [, namespace, name] =
    /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/([^/]+)\/leases\/([^/]+)/.exec(path) ?? []
  return name === undefined ? undefined : `${namespace}/${name}`
}

/** What a Helm process calls itself: a deletion names no field manager. */
export const HELM_AGENT = 'Helm'

/**
 * Leases are the subject of these laws, an Event records what was done before, and the claim of a namespace is decided by
 * its fence while the lock is taken. A Helm process knows no lock: until its worker ends it, the fence of the namespace
 * alone refuses its writes, and a successor waits for that fence before it works.
 */
const isExempt = ({ path, query, headers }: KubeRequest): boolean =>
  path.startsWith(LEASES) ||
  /\/events(\/|$)/.test(path) ||
  path.endsWith('/rolebindings/caelus-release') ||
  query?.['fieldManager'] === 'helm' ||
  headers?.['user-agent'] === HELM_AGENT

const OBJECT = /^\/(?:api|apis\/([^/]+))\/[^/]+\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?/
const KINDS: Readonly<Record<string, string>> = {
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
}

/** What a lock on it would be named: the object, and the namespace it is in. */
function targetsOf({ path }: KubeRequest): ReadonlySet<string> {
  const [, group = '', namespace = '', plural = '', name = ''] = OBJECT.exec(path) ?? []
  const kind = KINDS[plural]
  return new Set([
    ...(namespace === '' ? [] : [targetName('', 'Namespace', undefined, namespace)]),
    ...(kind === undefined ? [] : [targetName(group, kind, namespace, name)]),
  ])
}

/** JSON, Go, YAML, URLs and base64 spell the whole of it differently, and all but base64 leave its head as it is. */
export const SENTINEL = 's3ntinel"/+ ü\nline'
const HEAD = 's3ntinel'

/** Whether the text holds the head of the sentinel, in any spelling. */
export function hasSentinel(text: string): boolean {
  return SPELLINGS.some((spelling) => text.includes(spelling))
}

/** Base64 spells a text in three ways: it depends on where in a group of three bytes the text begins. */
const SPELLINGS = [HEAD, ...[0, 1, 2].map(inBase64)]

/** The characters that hold nothing but the head when `before` other bytes come first. */
function inBase64(before: number): string {
  const bits = (bytes: number): number => bytes * 8
  const text = Buffer.from('x'.repeat(before) + HEAD).toString('base64')
  return text.slice(Math.ceil(bits(before) / 6), Math.floor(bits(before + HEAD.length) / 6))
}

/** Where a secret must never be: the timeline (what processes report), Events, statuses, and rows. */
export function leakIn(lines: readonly string[], objects: readonly object[]): string | undefined {
  const line = lines.find(hasSentinel)
  if (line !== undefined) return `the timeline: ${line}`
  const leaky = objects.find((object) => hasSentinel(JSON.stringify(object)))
  return leaky && `an object: ${JSON.stringify(leaky).slice(0, 300)}`
}
