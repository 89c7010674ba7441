import type { Clock } from '../../kernel/index.ts'
import type { Reader, Writer } from '../client/client.ts'
import { isAlreadyExists, isConflict } from '../errors.ts'
import type { At } from '../objects.ts'
import { Lease } from '../types/coordination-v1.ts'

/** How often to start over when somebody else writes in between; more than once is already rare. */
const TRIES = 4

/**
 * When each lease was last seen to change, by our own clock.
 *
 * The times inside a lease come from another machine, whose clock may be wrong. A lease counts as abandoned only when
 * it did not change for its whole duration while we were looking.
 */
export class LeaseObservations {
  readonly #clock: Clock
  readonly #seen = new Map<string, { readonly resourceVersion: string; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Since when the lease has looked like this. */
  note({ metadata: { uid = '', resourceVersion = '' } }: Lease): number {
    const known = this.#seen.get(uid)
    if (known?.resourceVersion === resourceVersion) return known.at
    const at = this.#clock.now()
    this.#seen.set(uid, { resourceVersion, at })
    return at
  }

  forget({ metadata: { uid = '' } }: Lease): void {
    this.#seen.delete(uid)
  }
}

export interface LeaseRequest {
  readonly at: Required<At>
  readonly holder: string
  readonly durationMs: number
  readonly annotations?: Readonly<Record<string, string>>
}

export interface LeaseParts {
  readonly client: Reader & Writer
  readonly clock: Clock
  readonly sightings: LeaseObservations
}

export type LeaseAnswer =
  | { readonly held: true; readonly lease: Lease }
  | { readonly held: false; readonly by: string; readonly until: number }

/** Takes the lease if it is free, abandoned or already ours. Every change of holder adds one to `leaseTransitions`. */
export async function takeLease(parts: LeaseParts, input: LeaseRequest, signal?: AbortSignal): Promise<LeaseAnswer> {
  const { client, clock, sightings } = parts
  for (let attempt = 1; ; attempt++) {
    try {
      const lease = await client.get(Lease, input.at, signal)
      if (lease === undefined) return { held: true, lease: await createLease(parts, input, signal) }
      const { holderIdentity, leaseDurationSeconds = 0, leaseTransitions = 0 } = lease.spec ?? {}
      const until = sightings.note(lease) + leaseDurationSeconds * 1000
      const free = !holderIdentity || until <= clock.now()
      if (holderIdentity === input.holder)
        return { held: true, lease: await write(parts, input, lease, leaseTransitions, signal) }
      if (!free) return { held: false, by: holderIdentity, until }
      const taken = await write(parts, input, lease, leaseTransitions + 1, signal)
      sightings.forget(lease)
      return { held: true, lease: taken }
    } catch (error) {
      if (attempt >= TRIES || !(isConflict(error) || isAlreadyExists(error))) throw error
    }
  }
}

/** Extends a lease we hold. `undefined`: it has passed to somebody else. */
export async function renewLease(
  parts: LeaseParts,
  input: LeaseRequest,
  held: Lease,
  signal?: AbortSignal,
): Promise<Lease | undefined> {
  let current: Lease | undefined = held
  for (let attempt = 1; ; attempt++) {
    if (current === undefined || !sameTerm(current, held)) return undefined
    try {
      return await write(parts, input, current, fenceOf(held), signal)
    } catch (error) {
      if (attempt >= TRIES || !isConflict(error)) throw error
      // Ours even so, if an earlier renewal arrived and only its answer was lost.
      current = await parts.client.get(Lease, input.at, signal)
    }
  }
}

/** Gives a lease back. It stays as an object, because its count of transitions is the fence of the next holder. */
export async function vacateLease(
  { client, clock }: LeaseParts,
  { at }: LeaseRequest,
  held: Lease,
  signal?: AbortSignal,
): Promise<void> {
  let current: Lease | undefined = held
  for (let attempt = 1; current !== undefined && sameTerm(current, held); attempt++) {
    try {
      const spec = { leaseDurationSeconds: 1, leaseTransitions: fenceOf(held), renewTime: microTime(clock.now()) }
      await client.replace(Lease, { ...current, spec }, { ...(signal && { signal }) })
      return
    } catch (error) {
      if (attempt >= TRIES || !isConflict(error)) throw error
      current = await client.get(Lease, at, signal)
    }
  }
}

export const fenceOf = (lease: Lease): number => lease.spec?.leaseTransitions ?? 0

const sameTerm = (now: Lease, held: Lease): boolean =>
  now.metadata.uid === held.metadata.uid &&
  now.spec?.holderIdentity === held.spec?.holderIdentity &&
  fenceOf(now) === fenceOf(held)

const createLease = (
  { client, clock }: LeaseParts,
  { at, holder, durationMs, annotations }: LeaseRequest,
  signal?: AbortSignal,
): Promise<Lease> => {
  const now = microTime(clock.now())
  const metadata = { ...at, ...(annotations && { annotations }) }
  const spec = {
    holderIdentity: holder,
    leaseDurationSeconds: seconds(durationMs),
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 1,
  }
  return client.create(
    Lease,
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec },
    { ...(signal && { signal }) },
  )
}

function write(
  { client, clock }: LeaseParts,
  { holder, durationMs }: LeaseRequest,
  lease: Lease,
  leaseTransitions: number,
  signal?: AbortSignal,
): Promise<Lease> {
  const now = microTime(clock.now())
  const acquireTime = lease.spec?.holderIdentity === holder ? (lease.spec.acquireTime ?? now) : now
  const spec = {
    holderIdentity: holder,
    leaseDurationSeconds: seconds(durationMs),
    acquireTime,
    renewTime: now,
    leaseTransitions,
  }
  return client.replace(Lease, { ...lease, spec }, { ...(signal && { signal }) })
}

/** Rounded up: whoever waits for us may wait a moment too long, never too short. */
const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** The server insists on six digits. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')
