import { createHash } from 'node:crypto'
import { raise } from '../failures.ts'

/*
 * Names derive from ids, so that a retry or a second worker cannot create a twin.
 *
 * Gardener names what it makes for a cluster `shoot--<project>--<shoot>` and allows 21 characters for both names together.
 */

/** Gardener's limit for the name of a project. */
const MAX_PROJECT = 10
/** Gardener's limit for the name of a worker group. */
const MAX_WORKER = 15
const MAX_SHOOT = 11
/** Fewer characters of the hash would make collisions likely: six are 2 billion names. */
const MIN_SHOOT = 7

const PROJECT_NAMESPACE = 'garden-'
const WORKER_HASH = 6
const WORKER = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/

/** Lower-case letters and digits that depend on the text alone. */
const hash = (text: string, length: number): string =>
  BigInt(`0x${createHash('sha256').update(text).digest('hex')}`)
    .toString(36)
    .padStart(length, '0')
    .slice(-length)

export const projectName = (organizationId: string): string => `p${hash(organizationId, MAX_PROJECT - 1)}`

/** The name of the project that a namespace belongs to. */
export const projectOfNamespace = (namespace: string): string =>
  namespace.startsWith(PROJECT_NAMESPACE) ? namespace.slice(PROJECT_NAMESPACE.length) : namespace

/** `budget`: the characters that the names of project and Shoot may have together. */
export function shootName(clusterId: string, project: string, budget: number): string {
  const room = Math.min(budget - project.length, MAX_SHOOT)
  if (room < MIN_SHOOT) {
    throw raise.GardenerMisconfigured(
      `GARDENER_MAX_SHOOT_NAME_LEN is ${budget}, and the project ${project} has ${project.length} characters: ` +
        `that leaves ${Math.max(budget - project.length, 0)} for the name of a Shoot, which needs at least ${MIN_SHOOT}`,
    )
  }
  return `c${hash(clusterId, room - 1)}`
}

/** Whether a name looks like those that derive from the id of a cluster. */
export const isDerivedName = (name: string): boolean =>
  name.length >= MIN_SHOOT && name.length <= MAX_SHOOT && /^c[a-z0-9]+$/.test(name)

/** Whether Caelus may have named the Shoot of this cluster so, whatever the settings left room for. */
export const isShootNameOf = (name: string, clusterId: string): boolean =>
  name.length >= MIN_SHOOT && name === `c${hash(clusterId, name.length - 1)}`

/** The name of a node pool, or a shorter one that is as unique. */
export function workerName(poolName: string): string {
  if (poolName.length <= MAX_WORKER && WORKER.test(poolName)) return poolName
  const readable = poolName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_WORKER - WORKER_HASH - 1)
    .replaceAll(/^-+|-+$/g, '')
  return `${readable || 'pool'}-${hash(poolName, WORKER_HASH)}`
}
