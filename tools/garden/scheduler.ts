import { Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import type { Shoot } from '../../src/domains/clusters/gardener/shoot.ts'
import { at, type Client } from '../../src/kube/index.ts'
import { LOCAL } from './landscape.ts'

/** The Shoot with the one Seed of the landscape, in place of gardener-scheduler. */
export async function scheduled(client: Client, shoot: Shoot): Promise<Shoot> {
  if (shoot.spec.seedName !== undefined) return shoot
  const merge = { metadata: { uid: shoot.metadata.uid }, spec: { seedName: LOCAL } }
  return await client.patch(Shoots, at(shoot), { merge }, { subresource: 'binding' })
}
