import { type AdmissionPlugin, type Json, type ObjectWrite, refuse } from '../../../../kube/fake/index.ts'
import { sameValue } from '../../../../kernel/index.ts'
import { versionOf, compare } from '../../shoot/version.ts'
import type { CloudProfile, CredentialsBinding, ProfileVersion, Project } from '../resources.ts'
import { CONFIRM_DELETION, GARDENER_OPERATION, type Shoot, type ShootSpec, type ShootWorker } from '../shoot.ts'

/** What the admission of Gardener looks up. */
export interface Garden {
  profile(name: string): CloudProfile | undefined
  /** Of a namespace. */
  project(namespace: string): Project | undefined
  binding(namespace: string, name: string): CredentialsBinding | undefined
  now(): number
}

/** Gardener's limit for the names of project and Shoot together. */
const NAME_BUDGET = 21
const MAX_WORKER_NAME = 15

/** A message of Gardener about a field, as its Go code writes it. */
interface Problem {
  readonly reason: 'FieldValueNotSupported' | 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueTooLong'
  readonly field: string
  readonly message: string
}

const unsupported = (field: string, value: string, supported: readonly string[]): Problem => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
})
const invalid = (field: string, value: string, why: string): Problem => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
})
const forbidden = (field: string, why: string): Problem => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${why}`,
})

/**
 * The admission of gardener-apiserver 1.150 for Shoots, as far as clusters meet it: the same status codes and messages.
 * It completes versions and machine images, and consumes the annotation of an operation.
 */
export const gardenerAdmission =
  (garden: Garden): AdmissionPlugin =>
  (write) => {
    if (write.kind.kind !== 'Shoot' || write.subresource !== '') return write.object
    const shoot = write.object as unknown as Shoot
    if (write.operation === 'delete') {
      checkConfirmed(write, shoot)
      return write.object
    }
    const old = write.old as unknown as Shoot | undefined
    if (old !== undefined && sameValue(old.spec, shoot.spec)) return operated(write, old, shoot)
    if (shoot.metadata.deletionTimestamp !== undefined) {
      const why = 'cannot update shoot spec if deletion timestamp is set. Requested changes: spec'
      throw refuse.invalid(write.kind, shoot.metadata.name, [forbidden('spec', why)])
    }
    return operated(write, old, admitted(write, garden, old, shoot))
  }

function checkConfirmed({ kind }: ObjectWrite, { metadata }: Shoot): void {
  if (metadata.annotations?.[CONFIRM_DELETION] === 'true') return
  throw refuse.forbidden(kind, metadata.name, `must have a "${CONFIRM_DELETION}" annotation to delete`)
}

function admitted({ kind }: ObjectWrite, garden: Garden, old: Shoot | undefined, shoot: Shoot): Shoot {
  const { name, namespace = '' } = shoot.metadata
  const { spec } = shoot
  const forbid = (problems: readonly Problem[]): refuse.Refusal => {
    const texts = problems.map(({ field, message }) => `${field}: ${message}`)
    return refuse.forbidden(kind, name, texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`)
  }
  const profileName = spec.cloudProfile?.name ?? ''
  const profile = garden.profile(profileName)
  if (profile === undefined) {
    throw internal(
      `could not find referenced cloud profile: cloudprofile.core.gardener.cloud "${profileName}" not found`,
    )
  }
  const binding = spec.credentialsBindingName
  if (binding !== undefined && garden.binding(namespace, binding) === undefined)
    throw refuse.forbidden(kind, name, `credentialsbinding.security.gardener.cloud "${binding}" not found`)
  const project = garden.project(namespace)
  if (project === undefined)
    throw internal(`could not find referenced project: project for namespace "${namespace}" not found`)

  const [completed, unknown] = complete(spec, old?.spec, profile.spec, garden.now())
  if (unknown.length > 0) throw forbid(unknown)

  const refused = [...shapeProblems(completed), ...(old === undefined ? [] : changeProblems(old.spec, completed))]
  if (refused.length > 0) throw refuse.invalid(kind, name, refused)
  if (old === undefined && project.metadata.name.length + name.length > NAME_BUDGET) {
    const why = `the length of the shoot name and the project name must not exceed ${NAME_BUDGET} characters (project: ${project.metadata.name}; shoot: ${name})`
    throw refuse.invalid(kind, name, [invalid('name', name, why)])
  }
  const notOffered = offerProblems(completed, old?.spec, profile.spec, garden.now())
  if (notOffered.length > 0) throw forbid(notOffered)
  return { ...shoot, spec: completed }
}

const internal = (why: string): refuse.Refusal =>
  new refuse.Refusal(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] })

const WINDOW = { begin: '220000+0000', end: '230000+0000' }

/** The spec with the versions, images and defaults that Gardener fills in. */
function complete(
  spec: ShootSpec,
  old: ShootSpec | undefined,
  profile: CloudProfile['spec'],
  now: number,
): [ShootSpec, Problem[]] {
  const problems: Problem[] = []
  const asked = versionOf(spec.kubernetes.version)
  let { version } = spec.kubernetes
  if (asked !== undefined && asked.patch === undefined) {
    const suitable = (profile.kubernetes.versions ?? [])
      .filter((one) => isActive(one, now) && one.classification !== 'preview')
      .flatMap((one) => versionOf(one.version) ?? [])
      .filter((one) => compare(one, asked) === 0)
      .toSorted(compare)
    const newest = suitable.at(-1)
    if (newest !== undefined) version = `${newest.major}.${newest.minor}.${newest.patch ?? 0}`
    else {
      const why = `couldn't find a suitable version for ${version}. Suitable versions have a non-expired expiration date and are no 'preview' versions. 'Preview'-classified versions have to be selected explicitly`
      problems.push(invalid('spec.kubernetes.version', version, why))
    }
  }
  const workers = spec.provider.workers?.map((worker, index): ShootWorker => {
    const known = old?.provider.workers?.find(({ name }) => name === worker.name)?.machine.image
    const image = worker.machine.image ?? known
    const offered = profile.machineImages?.find(({ name }) => image === undefined || name === image.name)
    if (offered === undefined) {
      problems.push(invalid(`spec.provider.workers[${index}]`, image?.name ?? '', 'image is not supported'))
      return worker
    }
    const chosen = image?.version ?? (known?.name === offered.name ? known.version : undefined)
    const newest = offered.versions?.at(-1)?.version
    const imageVersion = chosen ?? newest
    return {
      ...worker,
      machine: {
        ...worker.machine,
        image: { name: offered.name, ...(imageVersion !== undefined && { version: imageVersion }) },
      },
    }
  })
  const { autoUpdate, timeWindow = WINDOW } = spec.maintenance ?? {}
  const completed: ShootSpec = {
    purpose: 'evaluation',
    ...spec,
    kubernetes: { ...spec.kubernetes, version },
    maintenance: {
      ...spec.maintenance,
      autoUpdate: { kubernetesVersion: true, machineImageVersion: true, ...autoUpdate },
      timeWindow,
    },
    provider: { ...spec.provider, ...(workers !== undefined && { workers }) },
  }
  return [completed, problems]
}

const isActive = ({ expirationDate }: ProfileVersion, now: number): boolean =>
  expirationDate === undefined || Date.parse(expirationDate) > now

function shapeProblems({ provider, networking, credentialsBindingName, maintenance }: ShootSpec): Problem[] {
  const { workers = [] } = provider
  if (workers.length === 0) {
    const stated = { type: networking?.type, nodes: networking?.nodes }
    const fields = Object.entries(stated).flatMap(([name, value]) =>
      value === undefined ? [] : [`networking.${name}`],
    )
    return [...fields, ...(credentialsBindingName === undefined ? [] : ['credentialsBindingName'])].map((field) =>
      forbidden(`spec.${field}`, 'this field should not be set for workerless Shoot clusters'),
    )
  }
  const inactive = forbidden(
    'spec.provider.workers',
    'at least one active (workers[i].maximum > 0) worker pool with systemComponents.allow=true needed',
  )
  return [
    ...windowProblems(maintenance?.timeWindow ?? WINDOW),
    ...(workers.some(({ maximum }) => maximum > 0) ? [] : [inactive]),
    ...workers.flatMap(workerProblems),
  ]
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** `220000+0100` in milliseconds of the day in UTC. */
function momentOf(text: string): number {
  const [, hours, minutes, seconds, sign, zoneHours, zoneMinutes] =
    /^(\d\d)(\d\d)(\d\d)([+-])(\d\d)(\d\d)$/.exec(text) ?? []
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1)
  return (Number(hours) * 60 + Number(minutes) - zone) * MINUTE_MS + Number(seconds) * 1000
}

function windowProblems({ begin, end }: typeof WINDOW): Problem[] {
  const ms = (((momentOf(end) - momentOf(begin)) % DAY_MS) + DAY_MS) % DAY_MS
  const why =
    ms > 360 * MINUTE_MS ? 'not be greater than 6h0m0s' : ms < 30 * MINUTE_MS ? 'not be smaller than 30m0s' : undefined
  if (why === undefined) return []
  const message = `Invalid value: ${ms * 1_000_000}: time window must ${why}`
  return [{ reason: 'FieldValueInvalid', field: 'spec.maintenance.timeWindow', message }]
}

function workerProblems(worker: ShootWorker, index: number): Problem[] {
  const path = `spec.provider.workers[${index}]`
  const negative = {
    reason: 'FieldValueInvalid',
    field: `${path}.minimum`,
    message: `Invalid value: ${worker.minimum}: minimum value must not be negative`,
  } as const
  const tooLong: Problem = {
    reason: 'FieldValueTooLong',
    field: `${path}.name`,
    message: `Too long: may not be more than ${MAX_WORKER_NAME} bytes`,
  }
  return [
    ...(worker.name.length > MAX_WORKER_NAME ? [tooLong] : []),
    ...(worker.minimum < 0 ? [negative] : []),
    ...(worker.maximum < worker.minimum
      ? [forbidden(`${path}.maximum`, 'maximum value must not be less than minimum value')]
      : []),
  ]
}

function changeProblems(old: ShootSpec, next: ShootSpec): Problem[] {
  const [was, is] = [versionOf(old.kubernetes.version), versionOf(next.kubernetes.version)]
  const field = 'spec.kubernetes.version'
  const immutable = (path: string, before = '', after = ''): Problem[] =>
    before === after ? [] : [invalid(path, after, 'field is immutable')]
  return [
    ...immutable('spec.region', old.region, next.region),
    ...(was !== undefined && is !== undefined && compare(is, was) < 0
      ? [forbidden(field, 'kubernetes version downgrade is not supported')]
      : []),
    ...(was !== undefined && is !== undefined && is.minor > was.minor + 1
      ? [forbidden(field, 'kubernetes version upgrade cannot skip a minor version')]
      : []),
    ...immutable('spec.provider.type', old.provider.type, next.provider.type),
  ]
}

/** What the CloudProfile does not offer. Values that have not changed are not looked at. */
function offerProblems(
  next: ShootSpec,
  old: ShootSpec | undefined,
  profile: CloudProfile['spec'],
  now: number,
): Problem[] {
  const versions = (profile.kubernetes.versions ?? []).filter((one) => old !== undefined || isActive(one, now))
  const regions = (profile.regions ?? []).map(({ name }) => name)
  const types = profile.machineTypes ?? []
  const usable = types.filter(({ usable: isUsable = true }) => isUsable).map(({ name }) => name)
  const { version } = next.kubernetes
  const { region = '' } = next
  return [
    ...(version === old?.kubernetes.version || versions.some((one) => one.version === version)
      ? []
      : [unsupported('spec.kubernetes.version', version, versions.map(versionText))]),
    ...(region === old?.region || regions.includes(region) ? [] : [unsupported('spec.region', region, regions)]),
    ...(next.provider.workers ?? []).flatMap(({ name, machine: { type } }, index) => {
      const field = `spec.provider.workers[${index}].machine.type`
      const before = old?.provider.workers?.find((worker) => worker.name === name)
      if (before?.machine.type === type || usable.includes(type)) return []
      if (!types.some((one) => one.name === type)) return [unsupported(field, type, usable)]
      return [invalid(field, type, `machine type "${type}" is unusable, supported types are [${usable.join(' ')}]`)]
    }),
  ]
}

const versionText = ({ version, classification }: ProfileVersion): string =>
  classification === 'preview' ? `${version} (preview)` : version

/** Operations that gardenlet takes over itself; the others are consumed here. */
const LEFT_TO_GARDENLET = new Set(['rotate-credentials-start', 'rotate-credentials-complete'])
const NEEDED_PHASE: Readonly<Record<string, string>> = {
  'rotate-credentials-start': 'Completed',
  'rotate-credentials-complete': 'Prepared',
}

/** The Shoot after its annotation of an operation was read: the operation is a new generation for gardenlet. */
function operated(write: ObjectWrite, old: Shoot | undefined, shoot: Shoot): Json {
  const { [GARDENER_OPERATION]: operation, ...annotations } = shoot.metadata.annotations ?? {}
  const state = shoot.status?.lastOperation?.state
  if (old === undefined || operation === undefined || state === undefined) return shoot as unknown as Json
  if (operation !== old.metadata.annotations?.[GARDENER_OPERATION]) checkRotation(write, shoot, operation)
  const isTaken = state === 'Failed' ? operation === 'retry' : operation === 'reconcile'
  const isNew =
    isTaken || (LEFT_TO_GARDENLET.has(operation) && operation !== old.metadata.annotations?.[GARDENER_OPERATION])
  if (!isNew) return shoot as unknown as Json
  const generation = (old.metadata.generation ?? 0) + 1
  const kept = isTaken ? annotations : shoot.metadata.annotations
  return {
    ...shoot,
    metadata: { ...shoot.metadata, ...(kept !== undefined && { annotations: kept }), generation },
  }
}

function checkRotation({ kind }: ObjectWrite, { metadata, status }: Shoot, operation: string): void {
  const needed = NEEDED_PHASE[operation]
  if (needed === undefined) return
  const phase = status?.credentials?.rotation?.['certificateAuthorities']?.phase
  if (phase === needed || (phase === undefined && needed === 'Completed')) return
  const verb = operation === 'rotate-credentials-start' ? 'start' : 'complete'
  const why = `cannot ${verb} rotation of all credentials if .status.credentials.rotation.certificateAuthorities.phase is not '${needed}'`
  throw refuse.invalid(kind, metadata.name, [forbidden(`metadata.annotations[${GARDENER_OPERATION}]`, why)])
}
