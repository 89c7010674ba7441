import { isDerivedName, isShootNameOf } from '../shoot/names.ts'
import { CLUSTER_ID, FENCE, type Shoot } from './shoot.ts'

/*
 * Which cluster a Shoot belongs to. Its label says so, and may have been edited by hand. What cannot be edited is its uid, which
 * the row of its cluster knows, and its name, which derives from the id of its cluster.
 */

/** The one of a cluster among Shoots with its label or its uid: the one that its row knows, then one of its name, then the oldest. */
export function ownShoot(clusterId: string, shoots: readonly Shoot[], uid?: string): Shoot | undefined {
  const own = shoots.filter((shoot) => isKnown(shoot, uid) || (labelOf(shoot) === clusterId && !isRelabelled(shoot)))
  const [first] = own.toSorted((a, b) => rankOf(a, clusterId, uid) - rankOf(b, clusterId, uid) || byAge(a, b))
  return first
}

/** It was made by Caelus, and not for the cluster that its label names. What was made by hand has a name of another form. */
export function isRelabelled(shoot: Shoot): boolean {
  const [id, { name }] = [labelOf(shoot), shoot.metadata]
  return id !== undefined && isWritten(shoot) && isDerivedName(name) && !isShootNameOf(name, id)
}

/** Somebody has edited or removed its label, and its name is that of the cluster. */
export const isOwnByName = (clusterId: string, shoot: Shoot): boolean =>
  isWritten(shoot) &&
  (labelOf(shoot) === undefined || (isRelabelled(shoot) && isShootNameOf(shoot.metadata.name, clusterId)))

/** Only Caelus writes fences. */
const isWritten = ({ metadata }: Shoot): boolean => metadata.annotations?.[FENCE] !== undefined

const labelOf = ({ metadata }: Shoot): string | undefined => metadata.labels?.[CLUSTER_ID]

const isKnown = ({ metadata }: Shoot, uid = ''): boolean => uid !== '' && metadata.uid === uid

function rankOf(shoot: Shoot, clusterId: string, uid: string | undefined): number {
  if (isKnown(shoot, uid)) return 0
  return isShootNameOf(shoot.metadata.name, clusterId) ? 1 : 2
}

/** The oldest first; of the same second, by name. */
function byAge(a: Shoot, b: Shoot): number {
  const key = ({ metadata }: Shoot): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.namespace ?? ''}/${metadata.name}`
  return key(a) < key(b) ? -1 : 1
}
