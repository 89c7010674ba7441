import {
  ClassRuntime,
  OWNER_LABEL,
  runtimesController,
  type RuntimesControllerEvents,
  type RuntimesControllerOptions,
  type RuntimesSettings,
} from '../../src/domains/runtimes/index.ts'
import { functionName, odgmName, odgmServiceName } from '../../src/domains/runtimes/names.ts'
import { COMPONENT_LABEL } from '../../src/domains/runtimes/types.ts'
import { createEmitter, keyText, sameValue, type Service as Running } from '../../src/kernel/index.ts'
import { Deployment, kubeLocks, makeClient, Service, type KubeObject } from '../../src/kube/index.ts'
import { ALL_FAULTS, perAwait } from '../faults.ts'
import type { Law, Laws, Scenario } from '../scenario.ts'
import type { Ports, World } from '../world.ts'
import {
  analyst,
  bystanders,
  BYSTANDER,
  ENFORCED,
  IMPOSTOR,
  isStrangers,
  machinery,
  meddler,
  MEMORY,
  NAMESPACE,
  owner,
  SCALED,
  SCALED_TO,
  scaler,
  squatter,
  type EnforcedDimension,
} from './runtimes-shop.ts'

const SETTINGS: RuntimesSettings = {
  render: { profile: 'full', hpa: false, odgm: { image: 'registry.example/odgm:1', pullPolicy: 'IfNotPresent' } },
  progressTimeoutMs: 30_000,
  crashRecoveryMs: 10_000,
  orphansPerMinute: 1_000,
  nfr: {
    stabilityMs: 2_000,
    cooldownMs: 3_000,
    maxReplicas: 20,
    maxReplicaDelta: 30,
    maxAgeMs: 3_600_000,
    minConfidence: 0.5,
    budget: { changes: 1_000, windowMs: 60_000 },
  },
}

const runtimesIn = ({ kubernetes }: World): readonly ClassRuntime[] =>
  kubernetes.peek(ClassRuntime) as readonly ClassRuntime[]
const deploymentsIn = ({ kubernetes }: World): readonly Deployment[] =>
  kubernetes.peek(Deployment) as readonly Deployment[]
const servicesIn = ({ kubernetes }: World): readonly Service[] => kubernetes.peek(Service) as readonly Service[]

const isOf =
  ({ metadata: { uid } }: ClassRuntime) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false

/** What a fresh installation of this spec has, in words. */
function wantedOf({ metadata: { name }, spec, status }: ClassRuntime): string[] {
  const functions = (spec.functions ?? []).flatMap(({ function_key: key, provision_config: provision }) => {
    const child = functionName(name, key)
    if (child === BYSTANDER) return [`Service ${child}`]
    const recommended = name === ENFORCED ? status?.nfr_recommendations?.[`replicas/${key}`]?.value : undefined
    const replicas = child === SCALED ? undefined : (recommended ?? provision?.min_scale ?? 1)
    const text = deploymentText(child, provision?.container_image, replicas, provision?.cpu_request)
    return [text, `Service ${child}`]
  })
  const odgm = (spec.addons ?? []).includes('odgm')
    ? [deploymentText(odgmName(name), 'registry.example/odgm:1', 1), `Service ${odgmServiceName(name)}`]
    : []
  return [...functions, ...odgm].toSorted()
}

const deploymentText = (name: string, image?: string, replicas?: number, cpu?: string | number): string =>
  `Deployment ${name} of ${image}${name === SCALED ? '' : ` times ${replicas}`}${cpu === undefined ? '' : ` with ${cpu}`}`

/** Without its label a child that is no longer wanted cannot be found; it goes with its class. */
function thereOf(world: World, runtime: ClassRuntime): string[] {
  const deployments = deploymentsIn(world)
    .filter(({ metadata }) => metadata.labels?.[OWNER_LABEL] !== undefined)
    .filter(isOf(runtime))
    .map(({ metadata, spec }) => {
      const { image, resources } = spec?.template.spec?.containers[0] ?? {}
      return deploymentText(metadata.name, image, spec?.replicas, resources?.requests?.['cpu'])
    })
  const services = servicesIn(world)
    .filter(isOf(runtime))
    .map(({ metadata }) => `Service ${metadata.name}`)
  return [...deployments, ...services].toSorted()
}

const everyClassRuns: Law = (world) => {
  for (const runtime of runtimesIn(world)) {
    const { metadata, spec, status } = runtime
    const [wanted, there] = [wantedOf(runtime), thereOf(world, runtime)]
    if (!sameValue(wanted, there)) return `${metadata.name} has [${there.join(', ')}] instead of [${wanted.join(', ')}]`
    if (status?.observed_generation !== metadata.generation) return `${metadata.name} says nothing about its generation`
    const isInTheWay = (spec.functions ?? []).some(
      ({ function_key: key }) => functionName(metadata.name, key) === BYSTANDER,
    )
    const expected = isInTheWay ? 'degraded' : 'available'
    if (status?.phase !== expected)
      return `${metadata.name} is ${status?.phase} (${status?.message}) instead of ${expected}`
  }
  return undefined
}

/** Only the autoscaler changes the replicas of its Deployment. */
const theScalerHasItsWay: Law = (world) => {
  const scaled = deploymentsIn(world).find(({ metadata }) => metadata.name === SCALED)
  const { replicas } = scaled?.spec ?? {}
  return scaled === undefined || replicas === SCALED_TO ? undefined : `${SCALED} has ${replicas} replicas`
}

const nothingIsLeftOver: Law = (world) => {
  const runtimes = runtimesIn(world)
  const left = [...deploymentsIn(world), ...servicesIn(world)].find(
    (object) =>
      object.metadata.name !== IMPOSTOR &&
      object.metadata.labels?.[OWNER_LABEL] !== undefined &&
      !runtimes.some((runtime) => isOf(runtime)(object)),
  )
  return left && `${left.kind} ${left.metadata.name} has no owner`
}

/** Written once, at creation, and never deleted. */
const strangersAreLeftAlone = (): Law => {
  const known = new Map<string, Deployment['metadata']>()
  return (world) => {
    const present = new Set<string>()
    for (const { metadata } of deploymentsIn(world).filter(isStrangers)) {
      const { uid = '', name, resourceVersion } = metadata
      present.add(uid)
      if (!known.has(uid)) known.set(uid, metadata)
      if (known.get(uid)?.resourceVersion !== resourceVersion) return `${name} was written to`
    }
    for (const [uid, { name }] of known) if (!present.has(uid)) return `${name} was deleted`
    return undefined
  }
}

/** Available may be outdated a moment later, but is never set before every workload is ready for its generation. */
const availableIsTrue = (): Law => {
  const seen = new Set<string>()
  const text = (uid: string | undefined, name: string, image: string | undefined): string => `${uid} ${name} ${image}`
  return (world) => {
    for (const { metadata, spec, status } of deploymentsIn(world)) {
      if ((status?.availableReplicas ?? 0) === 0) continue
      const image = spec?.template.spec?.containers[0]?.image
      for (const { uid } of metadata.ownerReferences ?? []) seen.add(text(uid, metadata.name, image))
    }
    for (const { metadata, spec, status } of runtimesIn(world)) {
      if (status?.phase !== 'available' || status.observed_generation !== metadata.generation) continue
      for (const { function_key: key, provision_config: provision } of spec.functions ?? []) {
        const child = functionName(metadata.name, key)
        if (!seen.has(text(metadata.uid, child, provision?.container_image)))
          return `${metadata.name} is available, but ${child} of ${provision?.container_image} never was`
      }
    }
    return undefined
  }
}

/** Replicas change from one set value to the next, never through a default. */
const replicasNeverFallBack = (): Law => {
  const enforced = new Set<string>()
  return (world) => {
    for (const { metadata, spec } of deploymentsIn(world)) {
      if (metadata.name === SCALED && spec?.replicas === 1) return `${SCALED} fell back to 1`
      if (!metadata.name.startsWith(`${ENFORCED}--`)) continue
      const { uid = '', name } = metadata
      if ((spec?.replicas ?? 1) >= 3) enforced.add(uid)
      else if (enforced.has(uid)) return `${name} fell back to ${spec?.replicas}`
    }
    return undefined
  }
}

const memoryOf = ({ spec }: Deployment): string | number | undefined =>
  spec?.template.spec?.containers.find(({ name }) => name === 'function')?.resources?.requests?.['memory']

/** The request of a function is always owned by one manager. */
const requestsNeverFallAway = (): Law => {
  const asking = new Set<string>()
  return (world) => {
    for (const one of deploymentsIn(world)) {
      const { uid = '', name } = one.metadata
      if (memoryOf(one) !== undefined) asking.add(uid)
      else if (asking.has(uid)) return `${name} asks for no memory any more`
    }
    return undefined
  }
}

/** What is enforced is in effect, and what is not is as the spec says. */
const memoryIsAsMarked: Law = (world) => {
  const wrong = deploymentsIn(world).find((one) => {
    if (!one.metadata.name.startsWith(`${ENFORCED}--`) || one.metadata.labels?.[COMPONENT_LABEL] !== 'function')
      return false
    const mark = one.metadata.annotations?.['oaas.io/enforced-memory']
    return memoryOf(one) !== (mark === undefined ? MEMORY : `${Number(mark) / 2 ** 20}Mi`)
  })
  return wrong && `${wrong.metadata.name} asks for ${memoryOf(wrong)} of memory`
}

type Variant = Partial<Pick<RuntimesControllerOptions, 'reconcile'>>

const controllerProcess =
  (world: World, variant: Variant) =>
  ({ name, transport, clock, random, note }: Ports): readonly Running[] => {
    const told = createEmitter<RuntimesControllerEvents>()
    told.on('reconcile:end', ({ key, outcome, because, failure }) =>
      note(`${keyText(key)}: ${outcome} ${because ?? failure?.code ?? ''}`),
    )
    told.on('runtimes:phase', ({ runtime, from, to, reason, message }) =>
      note(`${runtime}: ${from ?? 'new'} → ${to} (${reason}: ${message})`),
    )
    told.on('runtimes:acted', ({ runtime, action, child, failure }) =>
      note(`${runtime}: ${action} ${child?.kind ?? ''} ${child?.name ?? ''} ${failure?.code ?? 'done'}`),
    )
    told.on('runtimes:enforced', ({ runtime, functionKey, to, failure }) =>
      note(`${runtime}: enforces ${to} for ${functionKey} ${failure?.message ?? 'done'}`),
    )
    told.on('runtimes:statusConflict', ({ runtime }) => note(`${runtime}: status was overtaken`))
    told.on('watch:relisted', ({ resource, why }) => note(`${resource} listed again (${why})`))
    told.on('leader:elected', ({ term }) => note(`leads, term ${term}`))
    told.on('leader:lost', ({ why }) => note(`no longer leads (${why})`))
    told.on('leader:resigned', () => note('resigns'))
    const locks = kubeLocks({
      client: makeClient(transport, { fieldManager: 'oprc-crm' }),
      namespace: NAMESPACE,
      clock,
    })
    const options = { transport, clock, random, emitter: told, settings: SETTINGS, instance: name, locks }
    const leader = { lease: { namespace: NAMESPACE, name: 'runtimes-leader' } }
    return runtimesController({ ...options, leader, concurrency: world.rarely(16, 1), ...variant }).services
  }

/** The controller of class runtimes with users and the controllers of Kubernetes, or a variant with a planted bug. */
export const runtimesScenario = (
  name = 'runtimes',
  variant: Variant = {},
  dimension: EnforcedDimension = 'replicas',
): Scenario => ({
  name,
  kinds: [ClassRuntime],
  namespaces: [NAMESPACE],
  // A leader that crashes every few seconds would never be paused while it leads.
  faults: perAwait(ALL_FAULTS, 0.3),
  faultsMs: 90_000,
  setup(world): Laws {
    void bystanders(world)
    machinery(world)
    world.process('runtimes', controllerProcess(world, variant))
    world.user('owner', owner(dimension))
    world.user('meddler', meddler)
    world.user('analyst', analyst(world, dimension))
    world.user('scaler', scaler)
    world.user('squatter', squatter(dimension))
    return {
      always: {
        'no class is available before its workloads were': availableIsTrue(),
        'replicas never fall back to a default': replicasNeverFallBack(),
        'objects of others are not changed': strangersAreLeftAlone(),
        ...(dimension === 'memory' && { 'requests never fall away': requestsNeverFallAway() }),
      },
      eventually: {
        'every class runs as a fresh installation would': everyClassRuns,
        'the autoscaler sets the replicas': theScalerHasItsWay,
        'nothing is left over': nothingIsLeftOver,
        ...(dimension === 'memory' && { 'memory is as marked, or as the spec says': memoryIsAsMarked }),
      },
    }
  },
})

/** The same, where memory is enforced and cpu follows the spec. */
export const runtimesMemoryScenario = (name = 'runtimes-memory', variant: Variant = {}): Scenario =>
  runtimesScenario(name, variant, 'memory')
