import { Option } from 'commander'
import { allPages, type RestClient } from '../../client.ts'
import { firstOf, isId, isSame, onlyOne, type Noun } from '../../find-by-name.ts'
import { defineFailures } from '../../../kernel/index.ts'
import { ORGANIZATION } from '../identity/nouns.ts'
import { organizationPath } from '../identity/organizations.ts'
import type { Cluster, NodePool } from './cluster.ts'

const raise = defineFailures({
  NoSuchCluster: { whoseMove: 'user', retryable: false, nextStep: 'Name it as `caelus list-clusters` shows it.' },
  NoSuchNodePool: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Name it as `caelus list-node-pools <cluster>` shows it.',
  },
  WhichOrganization: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Say with --organization which one is meant, by its name or id.',
  },
})

export const CLUSTER: Noun = {
  name: 'cluster',
  named: 'its name or id, as list-clusters shows it',
  noSuch: raise.NoSuchCluster,
}

export const NODE_POOL: Noun = {
  name: 'node pool',
  named: 'its name or id, as list-node-pools shows it',
  noSuch: raise.NoSuchNodePool,
}

export interface OrganizationOption {
  readonly organization?: string
}

export const organizationOption = (what: string): Option =>
  new Option('--organization <organization>', `${what}: ${ORGANIZATION.named}`)

/** The path of an organization; without a name, of the only one that the caller sees. */
export async function organizationOf(client: RestClient, named?: string): Promise<string> {
  if (named !== undefined) return await organizationPath(client, named)
  const seen = await firstOf<{ readonly id: string; readonly name: string }>(client, '/organizations')
  const [only, ...others] = seen
  if (only !== undefined && others.length === 0) return `/organizations/${only.id}`
  const names = seen.map(({ name }) => name).join(', ')
  throw raise.WhichOrganization(
    only === undefined ? 'you belong to no organization' : `there are several organizations: ${names}`,
  )
}

export const organizationIdIn = (path: string): string => path.slice('/organizations/'.length)

/** Names are unique within an organization; without one, all that the caller sees are searched. */
export async function clusterNamed(client: RestClient, named: string, organization?: string): Promise<Cluster> {
  const within = organization === undefined ? undefined : await organizationPath(client, organization)
  const path = `${within ?? ''}/clusters`
  if (isId(named)) return await client.get(`${path}/${named}`)
  const found = await allPages<Cluster>(client, path, { name: named })
  const known = found.length > 0 ? [] : await firstOf<Cluster>(client, path)
  return onlyOne(
    CLUSTER,
    named,
    found,
    known.map(({ name }) => name),
  )
}

export const poolNamed = ({ node_pools: pools }: Pick<Cluster, 'node_pools'>, named: string): NodePool =>
  onlyOne(
    NODE_POOL,
    named,
    pools.filter(({ id, name }) => id === named || isSame(name, named)),
    pools.map(({ name }) => name),
  )
