import {
  actorName,
  asUser,
  isId,
  PLATFORM,
  refuseUnstorable,
  type Actor,
  type Listed,
  type PageOptions,
} from '../../../store/index.ts'
import { emailsIn, listClusters as listRows, listEvents as listEventRows } from '../store/index.ts'
import { visibleCluster, visibleOrganization } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import type { ClusterFilter, ListedApp, ListedCluster, ListedEvent } from './port.ts'

export async function listClusters(
  { pool }: ClustersDeps,
  actor: Actor,
  filter: ClusterFilter,
): Promise<Listed<ListedCluster>> {
  refuseUnstorable({ name: filter.name })
  return await asUser(pool, actor, async (tx) => {
    if (filter.organizationId !== undefined) await visibleOrganization(tx, filter.organizationId)
    return await listRows(tx, filter)
  })
}

export const getCluster = (
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
): Promise<ListedCluster> => asUser(pool, actor, (tx) => visibleCluster(tx, organizationId, id))

export const findCluster = ({ pool }: ClustersDeps, actor: Actor, id: string): Promise<ListedCluster> =>
  asUser(pool, actor, (tx) => visibleCluster(tx, undefined, id))

export const listEvents = (
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  page: PageOptions,
): Promise<Listed<ListedEvent>> =>
  asUser(pool, actor, async (tx) => {
    await visibleCluster(tx, organizationId, id)
    const { items, next } = await listEventRows(tx, id, page)
    const emails = await emailsIn(
      tx,
      organizationId,
      items.map((event) => event.actor),
    )
    const name = eventActor(actor, emails)
    return { items: items.map((event) => ({ ...event, actor: name(event.actor) })), next }
  })

export const listApps = (
  { pool, apps }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  page: PageOptions,
): Promise<Listed<ListedApp>> =>
  asUser(pool, actor, async (tx) => {
    await visibleCluster(tx, organizationId, id)
    const { items, next } = (await apps?.list(tx, id, page)) ?? { items: [], next: null }
    const emails = await emailsIn(
      tx,
      organizationId,
      items.map(({ userId }) => userId),
    )
    return {
      items: items.map(({ id: appId, userId, name, status, statusSince }) => ({
        name,
        owner: emails.get(userId) ?? null,
        status,
        statusSince,
        deployment: actor.admin || userId === actor.userId ? { id: appId, userId } : null,
      })),
      next,
    }
  })

/** Only admins see the names of workers. */
export const eventActor =
  (reader: Actor, emails: ReadonlyMap<string, string>) =>
  (actor: string): string =>
    isId(actor) ? actorName(reader, emails)(actor) : reader.admin ? actor : PLATFORM
