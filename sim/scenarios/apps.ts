import { DEPLOYMENT_LABEL } from '../../src/domains/apps/fence.ts'
import type { Deployment } from '../../src/domains/apps/index.ts'
import { ConfigMap, Ingress, Namespace, Secret, type KubeObject } from '../../src/kube/index.ts'
import type { Law, Laws, Scenario } from '../scenario.ts'
import type { User, World } from '../world.ts'
import {
  appsProcess,
  everyRow,
  FAULTS,
  guard,
  isTrue,
  machinery,
  meddler,
  nameOf,
  Platform,
  tenant,
  type RowLaw,
  type Variant,
} from './apps-platform.ts'

const IDS = ['1', '2', '3'] as const
/** Its namespace exists already and does not have our label. */
const TAKEN = '9'
/** The namespace without our label is unchanged and empty. */
const strangersAreLeftAlone: Law = ({ kubernetes }) => {
  const theirs = (kubernetes.peek(Namespace) as readonly KubeObject[]).find(
    ({ metadata }) => metadata.name === nameOf(TAKEN),
  )
  if (theirs === undefined) return 'it was deleted'
  if (theirs.metadata.labels?.[DEPLOYMENT_LABEL] !== undefined) return 'it was taken'
  const inside = [ConfigMap, Ingress, Secret].flatMap((kind) => kubernetes.peek(kind) as readonly KubeObject[])
  const ours = inside.find(({ metadata }) => metadata.namespace === nameOf(TAKEN))
  return ours && `${ours.kind} ${ours.metadata.name} was put into it`
}

/** The namespace that is not ours is refused. */
const refusedOrTrue: RowLaw = (row, plane) => {
  if (row.id !== TAKEN || row.deletedAt !== null) return isTrue(row, plane)
  return row.status === 'error' && row.lastError?.code === 'NamespaceTaken' ? undefined : 'it was not refused'
}

const FAULTS_MS = 100_000
/** For everything to come to an end after the faults. */
const LONGEST_MS = 400_000

const FINISHED: ReadonlySet<Deployment['status']> = new Set(['ready', 'stalled', 'deleted'])

const isUnfinished = ({ id, status, generation, statusGeneration }: Deployment): boolean =>
  id !== TAKEN && (!FINISHED.has(status) || statusGeneration !== generation)

/** Clocks of workers may be minutes apart, and one waits for the time of the next try that the other noted. */
async function untilFinished({ clock }: World, { rows }: Platform, { pause }: User): Promise<void> {
  const end = clock.now() + FAULTS_MS + LONGEST_MS
  while (rows.committed().some(isUnfinished) && clock.now() < end) await pause(10_000)
}

/** Two workers of apps on one queue, a tenant and a meddler; or a variant of them with a fault planted on purpose. */
export const appsScenario = (name = 'apps', variant: Variant = () => ({})): Scenario => ({
  name,
  namespaces: [nameOf(TAKEN)],
  faults: FAULTS,
  faultsMs: FAULTS_MS,
  setup(world): Laws {
    const platform = new Platform(world)
    guard(world)
    machinery(world, world)
    world.process('worker', appsProcess(world, platform, variant))
    const acts = tenant(world, platform, { ids: IDS, acts: 12, orderOf: () => ({ clusterId: null }) })
    world.user('tenant', async (user) => {
      await platform.intend(TAKEN, world.clock.now(), () => ({}))
      await acts(user)
      await untilFinished(world, platform, user)
    })
    world.user('meddler', meddler({ ids: IDS, acts: 10 }))
    return {
      always: { 'a namespace without our label is never changed': strangersAreLeftAlone },
      eventually: { 'every row is true': everyRow(platform, refusedOrTrue) },
    }
  },
})
