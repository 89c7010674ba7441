import { ClassRuntime, type ClassRuntimeSpec, type FunctionSpec } from '../../src/domains/runtimes/index.ts'
import { functionName } from '../../src/domains/runtimes/names.ts'
import { timestamp, type Random } from '../../src/kernel/index.ts'
import {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  isAlreadyExists,
  isNotFound,
  Service,
  type Draft,
} from '../../src/kube/index.ts'
import { runDeployments } from '../../src/kube/fake/index.ts'
import { SENTINEL } from '../standing.ts'
import type { User, World } from '../world.ts'

/* The people and the machinery around the controller of class runtimes. */

export const NAMESPACE = 'shop'
const NAMES = ['cart', 'users', 'mail'] as const
const KEYS = ['add', 'list', 'sum'] as const

/** Bears the name that a function of `mail` has, and was there first. */
export const BYSTANDER = functionName('mail', 'sum')
/** A function whose Deployment is replaced by one of the same name that is not ours. */
const REPLACED = { name: 'wish', key: 'sum' } as const
/** The image of every Deployment that is not ours. */
export const STRANGERS_IMAGE = 'registry.example/stranger:1'
/** Has our label and another owner. */
export const IMPOSTOR = 'impostor'
/** The target of an autoscaler that is not ours. */
export const SCALED = functionName('users', 'add')
export const SCALED_TO = 4
/** Its replicas are enforced, or its memory. */
export const ENFORCED = 'cart'
export type EnforcedDimension = 'replicas' | 'memory'
/** What is asked for where memory is enforced. */
export const MEMORY = '128Mi'

const at = (name: string) => ({ namespace: NAMESPACE, name })

export const oneOf = <T>(random: Random, all: readonly [T, ...T[]]): T =>
  all[Math.floor(random() * all.length)] ?? all[0]

const orMissing = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error
  return undefined
}

const functionOf = (
  name: string,
  key: string,
  random: Random,
  act: number,
  dimension: EnforcedDimension,
): FunctionSpec => ({
  function_key: key,
  provision_config: {
    container_image: `registry.example/${key}:${act}`,
    // More than a default would give it, so that a fallback to the default is visible.
    min_scale: functionName(name, key) === SCALED ? 2 : 1 + Math.floor(random() * 2),
    ...(dimension === 'memory' && { memory_request: MEMORY, cpu_request: `${100 * act}m` }),
  },
  config: { MESSAGE: `${key} ${act}`, PASSWORD: SENTINEL },
})

function specOf(name: string, random: Random, act: number, dimension: EnforcedDimension): ClassRuntimeSpec {
  const mode = dimension === 'replicas' || act % 3 !== 0 ? 'enforce' : 'off'
  const keys = KEYS.filter(() => random() < 0.6)
  return {
    selected_template: random() < 0.7 ? 'k8s_deployment' : 'edge',
    addons: random() < 0.3 ? ['odgm'] : [],
    functions: (keys.length > 0 ? keys : KEYS).map((key) => functionOf(name, key, random, act, dimension)),
    ...(name === ENFORCED && { enforcement: { mode, dimensions: [dimension] } }),
  }
}

/** A user creates, changes and deletes classes, and sometimes creates them again at once. */
export const owner =
  (dimension: EnforcedDimension) =>
  async ({ client, random, pause, note }: User): Promise<void> => {
    const create = (name: string, act: number): Promise<unknown> => {
      note(`creates ${name}`)
      const spec = specOf(name, random, act, dimension)
      return client.create(ClassRuntime, {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: at(name),
        spec,
      })
    }
    const acts = 5 + Math.floor(random() * 7)
    for (let act = 1; act <= acts; act++) {
      await pause(8_000)
      const name = oneOf(random, NAMES)
      const there = await client.get(ClassRuntime, at(name))
      if (there === undefined) await create(name, act)
      else if (there.metadata.deletionTimestamp !== undefined) continue
      else if (random() < 0.65) {
        note(`changes ${name}`)
        await client
          .patch(ClassRuntime, at(name), { merge: { spec: specOf(name, random, act, dimension) } })
          .catch(orMissing)
      } else {
        note(`deletes ${name}`)
        await client.delete(ClassRuntime, at(name))
      }
    }
  }

/** Another user takes over fields of children and gives them back. */
export async function meddler({ client, random, pause, note }: User): Promise<void> {
  for (let act = 1; act <= 4; act++) {
    await pause(20_000)
    const name = oneOf(random, NAMES)
    const child = functionName(name, oneOf(random, KEYS))
    if (child === BYSTANDER) continue
    const how = oneOf(random, ['unlabels', 'deletes', 'deletes the service of', 'edits'])
    // The annotation for forced apply would also take over the Deployment that is not ours.
    if (how === 'edits' && name === 'mail') continue
    note(`${how} ${child}`)
    if (how === 'deletes') await client.delete(Deployment, at(child))
    else if (how === 'deletes the service of') await client.delete(Service, at(child))
    else if (how === 'unlabels') {
      const merge = { metadata: { labels: { 'oaas.io/owner': null } } }
      await client.patch(Deployment, at(child), { merge }).catch(orMissing)
    } else {
      const json = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'meddled' }] as const
      await client.patch(Deployment, at(child), { json }).catch(orMissing)
      await pause(6_000)
      note(`lets the controller take ${child} back`)
      const merge = { metadata: { annotations: { 'oaas.io/force-apply': 'true' } } }
      await client.patch(ClassRuntime, at(name), { merge }).catch(orMissing)
    }
  }
}

/** Measures, and recommends more than the spec asks for. */
export const analyst =
  (world: World, dimension: EnforcedDimension) =>
  async ({ client, random, pause, note }: User): Promise<void> => {
    for (let act = 1; act <= 4; act++) {
      await pause(15_000)
      const value = (3 + Math.floor(random() * 4)) * (dimension === 'memory' ? 64 * 2 ** 20 : 1)
      const key = `${dimension}/${oneOf(random, KEYS)}`
      const recommendation = { value, at: timestamp(world.clock.now()), confidence: 1, basis: 'the simulator' }
      note(`recommends ${value} for ${key}`)
      const merge = { status: { nfr_recommendations: { [key]: recommendation } } }
      await client.patchStatus(ClassRuntime, at(ENFORCED), { merge }).catch(orMissing)
    }
  }

/** Another user creates an autoscaler for one function. */
export async function scaler({ client, pause, note }: User): Promise<void> {
  await pause(25_000)
  note(`creates an autoscaler for ${SCALED}`)
  await client.create(HorizontalPodAutoscaler, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: at('theirs'),
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: SCALED }, maxReplicas: 9 },
  })
}

/**
 * In one of three seeds, drops a function from a class and puts a Deployment of their own in its place, while the
 * controller still applies the other functions and has the old child in its cache.
 */
export const squatter =
  (dimension: EnforcedDimension) =>
  async ({ client, random, pause, note }: User): Promise<void> => {
    if (random() > 1 / 3) return
    const { name, key } = REPLACED
    const child = functionName(name, key)
    const functions = (keys: readonly string[], act: number): FunctionSpec[] =>
      keys.map((one) => functionOf(name, one, random, act, dimension))
    await client.create(ClassRuntime, {
      apiVersion: 'oaas.io/v1alpha1',
      kind: 'ClassRuntime',
      metadata: at(name),
      spec: { selected_template: 'k8s_deployment', functions: functions(KEYS, 1) },
    })
    let looks = 0
    while ((await client.get(Deployment, at(child))) === undefined && looks++ < 20) await pause(6_000)
    note(`replaces ${child}`)
    const others = KEYS.filter((one) => one !== key)
    await client.patch(ClassRuntime, at(name), { merge: { spec: { functions: functions(others, 2) } } })
    for (let attempt = 1; attempt <= 10; attempt++) {
      await client.delete(Deployment, at(child))
      const made = await client.create(Deployment, strangersDeployment(child, {})).catch(orExisting)
      if (made !== undefined) return
      await pause(4_000)
    }
  }

/** The controller has created the child again in between. */
const orExisting = (error: unknown): undefined => {
  if (!isAlreadyExists(error)) throw error
  return undefined
}

/** Objects that existed before the controller and are not ours. */
export async function bystanders({ client }: World): Promise<void> {
  const someone = await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: at('someone') })
  await client.create(Deployment, strangersDeployment(BYSTANDER, {}))
  await client.create(Deployment, {
    ...strangersDeployment(IMPOSTOR, { 'oaas.io/owner': ENFORCED, 'oaas.io/component': 'function' }),
    metadata: {
      ...at(IMPOSTOR),
      labels: { 'oaas.io/owner': ENFORCED, 'oaas.io/component': 'function' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'someone', uid: someone.metadata.uid ?? '', controller: true },
      ],
    },
  })
}

const strangersDeployment = (name: string, labels: Readonly<Record<string, string>>): Draft<Deployment> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { ...at(name), labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: STRANGERS_IMAGE }] },
    },
  },
})

export const isStrangers = ({ spec }: Deployment): boolean =>
  spec?.template.spec?.containers[0]?.image === STRANGERS_IMAGE

/** The controllers of Kubernetes, turn by turn. They leave out what is not ours, so that only our controller could write it. */
export function machinery({ clock, random, kubernetes }: World): void {
  const access = kubernetes.access()
  const turn = (): void => {
    autoscale(access)
    runDeployments(access, { ignores: isStrangers })
    next()
  }
  const next = (): void => void clock.after(300 + random() * 3_000, turn)
  next()
}

/** Sets the replicas of every Deployment that has an autoscaler. */
function autoscale(access: ReturnType<World['kubernetes']['access']>): void {
  const targets = new Set(access.list(HorizontalPodAutoscaler).map(({ spec }) => spec.scaleTargetRef.name))
  for (const deployment of access.list(Deployment)) {
    if (!targets.has(deployment.metadata.name) || deployment.spec?.replicas === SCALED_TO) continue
    access.patch(Deployment, deployment, (present) => ({ ...present, spec: { ...present.spec, replicas: SCALED_TO } }))
  }
}
