import { FailureError, RefusedFields } from '../../../kernel/index.ts'
import { KubeError } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import type { GardenerSettings } from '../shoot/wanted.ts'
import { problemsIn, type ShootProblem } from './problems.ts'

/** A field of a cluster, or a setting, that Gardener's admission refuses. */
export interface RefusedShootField {
  /** As the API names it, `node_pools[0].machine_type`, or the name of a setting. */
  readonly field: string
  readonly message: string
  readonly value: string | undefined
  /** The values that Gardener accepts instead; empty where it names none. */
  readonly supported: readonly string[]
}

/** Gardener's admission refused a Shoot. The failure quotes what Gardener said. */
export class ShootRefusal extends RefusedFields {
  readonly refused: readonly RefusedShootField[]

  constructor(refused: readonly RefusedShootField[], why: FailureError) {
    super(refused, why)
    this.refused = refused
  }
}

/** Any error of a call to Gardener's API as a failure of clusters. Errors that are none of the API stay as they are. */
export function refusalOf(error: unknown, settings: Pick<GardenerSettings, 'namespace'>): unknown {
  if (!(error instanceof FailureError)) return error
  const { code, message } = error.failure
  const options = { cause: error, ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }) }
  switch (code) {
    case 'KubeStaleFence':
      return raise.ClusterStaleFence(message, options)
    case 'KubeUnreachable':
    case 'KubeBusy':
      return raise.GardenerUnreachable(message, options)
    case 'KubeUnauthorized':
      return raise.GardenerForbidden(message, options)
    case 'KubeQuotaExceeded':
      return raise.InfrastructureQuota(message, options)
    case 'KubeNamespaceTerminating':
      return raise.NamespacePending(message, options)
    default:
      return error instanceof KubeError ? answered(error, settings, options) : error
  }
}

type Options = { readonly cause: FailureError; readonly retryAfterMs?: number }

/** Sentences of Gardener and Kubernetes that name no field, and who has to act. */
const SENTENCES: readonly {
  readonly says: RegExp
  readonly means: (said: string, settings: Pick<GardenerSettings, 'namespace'>) => FailureError
}[] = [
  {
    says: /could not find (?:referenced cloud profile|cloudProfileSpec)|cloudprofile\S* "[^"]*" not found/i,
    means: (said) => raise.GardenerMisconfigured(`GARDENER_CLOUD_PROFILE names no CloudProfile (${said})`),
  },
  {
    says: /credentials ?binding\S*:? .*not found|credentialsbinding\S* "[^"]*" not found/i,
    means: (said) =>
      raise.GardenerMisconfigured(`GARDENER_CREDENTIALS_BINDING_NAME names no CredentialsBinding (${said})`),
  },
  {
    says: /could not find referenced project|namespaces "[^"]*" not found|no project found/i,
    means: (said, { namespace }) =>
      namespace === undefined
        ? raise.NamespacePending(`the namespace of the project is not there yet (${said})`)
        : raise.GardenerMisconfigured(`GARDENER_NAMESPACE names no namespace of a project (${said})`),
  },
  {
    says: /quota limits exceeded/i,
    means: (said) => raise.InfrastructureQuota(`the quota of the project is used up (${said})`),
  },
  {
    says: /uses non-registered/i,
    means: (said) =>
      raise.GardenerMisconfigured(`Gardener has no extension for a type that the settings name (${said})`),
  },
  {
    says: /no suitable advertised address|could not (?:get|load) (?:client|cluster) CA/,
    means: (said) => raise.ClusterNotReady(`the API server of the cluster is not there yet (${said})`),
  },
  { says: /deletion timestamp is set/, means: (said) => raise.ShootTerminating(said) },
  { says: /User "[^"]*" cannot \w+ resource/, means: (said) => raise.GardenerForbidden(said) },
]

/** Refusals of what was ordered that name no field, such as those of an admission webhook. */
const REFUSED: ReadonlySet<string> = new Set(['KubeInvalid', 'KubeAdmissionDenied'])

const QUOTED = /"(?:[^"\\]|\\.)*"/g

function answered(error: KubeError, settings: Pick<GardenerSettings, 'namespace'>, options: Options): unknown {
  const said = error.message
  // What is quoted was chosen by a user, and may read like a sentence of Gardener.
  const sentence = error.said.replaceAll(QUOTED, '""')
  for (const { says, means } of SENTENCES) {
    if (says.test(sentence)) return new FailureError(means(said, settings).failure, options)
  }
  const problems = problemsIn(error)
  if (problems.length > 0) return refusalIn(problems, said, options)
  if (REFUSED.has(error.failure.code)) return raise.ShootRefused(said, options)
  if (error.status >= 500) return raise.GardenerUnreachable(said, options)
  if (error.status === 403) return raise.GardenerForbidden(said, options)
  return error
}

function refusalIn(problems: readonly ShootProblem[], said: string, options: Options): ShootRefusal {
  const others = problems.filter((problem) => !isAboutNodes(problem))
  const refused = [...(others.length < problems.length ? [NO_NODES] : []), ...others.map(fieldOf)]
  const isForUser = refused.some(({ field }) => !SETTING_NAMES.has(field))
  const text = `${refused.map(({ field, message }) => `${field} ${message}`).join('; ')} (${said})`
  const why = isForUser ? raise.ShootRefused(text, options) : raise.GardenerMisconfigured(text, options)
  return new ShootRefusal(refused, why)
}

function fieldOf(problem: ShootProblem): RefusedShootField {
  const { path, value, supported } = problem
  return { field: settingOf(path) ?? apiField(path), message: sentenceOf(problem), value, supported }
}

/** Without node pools, Gardener refuses the fields that only a cluster with nodes has. */
const NO_NODES: RefusedShootField = {
  field: 'node_pools',
  message: 'must have at least one node pool',
  value: undefined,
  supported: [],
}
const isAboutNodes = ({ why }: ShootProblem): boolean => /workerless/i.test(why)

/** Go writes a duration in nanoseconds, which tell a person nothing. */
const DURATION = /^\d{9,}$/

function sentenceOf({ kind, value, why, supported }: ShootProblem): string {
  const instead = supported.length === 0 ? '' : `; supported: ${supported.join(', ')}`
  if (kind === 'Unsupported value') return `${value ?? 'this value'} is not supported${instead}`
  if (kind === 'Required value') return `is required${why === '' ? '' : `: ${why}`}`
  return `${value === undefined || value === '' || DURATION.test(value) ? '' : `${value}: `}${why || kind.toLowerCase()}`
}

/** Fields that a setting of the operator decides. */
const SETTINGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:metadata\.)?name$/, 'GARDENER_MAX_SHOOT_NAME_LEN'],
  [/^spec\.cloudProfile/, 'GARDENER_CLOUD_PROFILE'],
  [/^spec\.(?:credentials|secret)BindingName/, 'GARDENER_CREDENTIALS_BINDING_NAME'],
  [/^spec\.provider\.type/, 'GARDENER_PROVIDER_TYPE'],
  [/^spec\.networking/, 'networking'],
  [/^spec\.provider\.workers\[\d+\](?:\.machine\.image.*|\.machine\.architecture|\.cri.*)?$/, 'machine image'],
]

const SETTING_NAMES: ReadonlySet<string> = new Set(SETTINGS.map(([, name]) => name))

const settingOf = (path: string): string | undefined => SETTINGS.find(([of]) => of.test(path))?.[1]

const WORKER_FIELDS: Readonly<Record<string, string>> = {
  name: 'name',
  'machine.type': 'machine_type',
  minimum: 'autoscale_min',
  maximum: 'autoscale_max',
}

/** The name of a field of a Shoot in our API; its path where the API has no such field. */
function apiField(path: string): string {
  const [, index, field = ''] = /^spec\.provider\.workers\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  if (index !== undefined) return `node_pools[${index}]${WORKER_FIELDS[field] ? `.${WORKER_FIELDS[field]}` : ''}`
  if (path.startsWith('spec.provider.workers')) return 'node_pools'
  if (path.startsWith('spec.region')) return 'region'
  if (path.startsWith('spec.kubernetes.version')) return 'kubernetes_version'
  if (path.startsWith('spec.hibernation')) return 'hibernated'
  if (path.startsWith('spec.maintenance')) return 'maintenance'
  if (path.startsWith('metadata.annotations[gardener.cloud/operation]')) return 'operation'
  return path
}
