import type { Clock } from '../../kernel/index.ts'
import type { Reader, Writer } from '../client/client.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../errors.ts'
import type { At } from '../objects.ts'
import { Lease } from '../types/coordination-v1.ts'
import type { LeaseObservations } from './observations.ts'

/** How often to start over after a concurrent write; a second time is already rare. */
const TRIES = 4

export interface LeaseRequest {
  readonly at: Required<At>
  readonly holder: string
  readonly durationMs: number
  readonly annotations?: Readonly<Record<string, string>>
  /** Whether the holder may take over what it holds already. @default always */
  readonly mayTakeOver?: (held: Lease) => boolean
  /** The Lease does not exist in the usual case: create it without reading it first. */
  readonly isUsuallyAbsent?: boolean
}

export interface LeaseParts {
  readonly client: Reader & Writer
  readonly clock: Clock
  readonly observations: LeaseObservations
}

export type LeaseAnswer =
  | { readonly held: true; readonly lease: Lease }
  | { readonly held: false; readonly by: string; readonly until: number }

/**
 * Takes the Lease if it is free, abandoned, or held under the same name. Every acquisition adds one to `leaseTransitions`,
 * so `uid` and `leaseTransitions` together identify one acquisition.
 */
export async function takeLease(parts: LeaseParts, request: LeaseRequest, signal?: AbortSignal): Promise<LeaseAnswer> {
  const { client, observations } = parts
  for (let attempt = 1; ; attempt++) {
    let lease: Lease | undefined
    try {
      if (attempt > 1 || !request.isUsuallyAbsent) lease = await client.get(Lease, request.at, signal)
      if (lease === undefined) return { held: true, lease: await createLease(parts, request, signal) }
      const holder = holderIn(parts, lease)
      const isOwn = holder?.by === request.holder && (request.mayTakeOver?.(lease) ?? true)
      if (holder !== undefined && !isOwn) return { held: false, ...holder }
      const taken = await write(parts, request, lease, transitionsOf(lease) + 1, signal)
      observations.forget(lease)
      return { held: true, lease: taken }
    } catch (error) {
      const isDeleted = lease !== undefined && isNotFound(error)
      if (attempt >= TRIES || !(isConflict(error) || isAlreadyExists(error) || isDeleted)) throw error
    }
  }
}

/** Who holds the Lease by our own observation, and until when unless it is renewed. */
export function holderIn(
  { clock, observations }: LeaseParts,
  lease: Lease,
): { readonly by: string; readonly until: number } | undefined {
  const { holderIdentity: by, leaseDurationSeconds = 0 } = lease.spec ?? {}
  const leftMs = leaseDurationSeconds * 1000 - observations.unchangedForMs(lease)
  return by && leftMs > 0 ? { by, until: clock.now() + leftMs } : undefined
}

/** Extends our acquisition. `undefined`: it is no longer valid. */
export async function renewLease(
  parts: LeaseParts,
  request: LeaseRequest,
  held: Lease,
  signal?: AbortSignal,
): Promise<Lease | undefined> {
  return whileHeld(parts, request, held, signal, (current) =>
    write(parts, request, current, transitionsOf(held), signal),
  )
}

/** Gives the Lease back and keeps the object, because its `leaseTransitions` number the terms of an election. */
export async function vacateLease(
  parts: LeaseParts,
  request: LeaseRequest,
  held: Lease,
  signal?: AbortSignal,
): Promise<void> {
  await whileHeld(parts, request, held, signal, (current) => {
    const renewTime = microTime(parts.clock.now())
    const spec = { leaseDurationSeconds: 1, leaseTransitions: transitionsOf(held), renewTime }
    return parts.client.replace(Lease, { ...current, spec }, { ...(signal && { signal }) })
  })
}

/** Gives the Lease back by deleting exactly the version that is known to be ours. */
export async function deleteLease(
  parts: LeaseParts,
  request: LeaseRequest,
  held: Lease,
  signal?: AbortSignal,
): Promise<void> {
  await whileHeld(parts, request, held, signal, ({ metadata: { uid = '', resourceVersion = '' } }) =>
    parts.client.delete(Lease, request.at, { uid, resourceVersion, ...(signal && { signal }) }),
  )
}

/** Changes the Lease while our acquisition is valid, reading it again after a concurrent write. */
async function whileHeld<T>(
  { client }: LeaseParts,
  { at }: LeaseRequest,
  held: Lease,
  signal: AbortSignal | undefined,
  change: (current: Lease) => Promise<T>,
): Promise<T | undefined> {
  let current: Lease | undefined = held
  for (let attempt = 1; current !== undefined && isSameAcquisition(current, held); attempt++) {
    try {
      return await change(current)
    } catch (error) {
      if (attempt >= TRIES || !(isConflict(error) || isNotFound(error))) throw error
      // Still ours if an earlier renewal arrived and only its answer was lost.
      current = await client.get(Lease, at, signal)
    }
  }
  return undefined
}

export const transitionsOf = (lease: Lease): number => lease.spec?.leaseTransitions ?? 0

const isSameAcquisition = (now: Lease, held: Lease): boolean =>
  now.metadata.uid === held.metadata.uid &&
  now.spec?.holderIdentity === held.spec?.holderIdentity &&
  transitionsOf(now) === transitionsOf(held)

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

/** The uid in the body keeps the server from creating a Lease that was deleted in the meantime. */
function write(
  { client, clock }: LeaseParts,
  { holder, durationMs, annotations }: LeaseRequest,
  lease: Lease,
  leaseTransitions: number,
  signal?: AbortSignal,
): Promise<Lease> {
  const now = microTime(clock.now())
  const isRenewal = leaseTransitions === transitionsOf(lease)
  const spec = {
    holderIdentity: holder,
    leaseDurationSeconds: seconds(durationMs),
    acquireTime: isRenewal ? (lease.spec?.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions,
  }
  const metadata = {
    ...lease.metadata,
    ...(annotations && { annotations: { ...lease.metadata.annotations, ...annotations } }),
  }
  return client.replace(Lease, { ...lease, metadata, spec }, { ...(signal && { signal }) })
}

/** Rounded up: other processes wait too long rather than too short. */
const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** The API server requires six fractional digits. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')
