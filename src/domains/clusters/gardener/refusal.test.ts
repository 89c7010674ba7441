import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { failureOf, FailureError } from '../../../kernel/index.ts'
import { KubeError, type StatusCause } from '../../../kube/index.ts'
import { refusalOf, ShootRefusal } from './refusal.ts'

interface Answer {
  readonly case: string
  readonly status: number
  readonly reason: string
  readonly message: string
  readonly causes: readonly StatusCause[]
}

/** What a real gardener-apiserver answered; test/real/garden-admission.test.ts keeps it. */
const answers = JSON.parse(readFileSync('testdata/clusters/admission.json', 'utf8')) as readonly Answer[]

const errorOf = ({ status, reason, message, causes }: Omit<Answer, 'case'>): KubeError =>
  new KubeError('apply Shoot garden-org/c1', { code: status, reason, message, details: { causes } })

const STALE = {
  message: 'failed to write Shoot garden-org/c1: its annotation caelus.io/fence is 9, and our fence is 8',
  whoseMove: 'platform',
  retryable: true,
  nextStep: 'as of kube',
} as const

const TYPES = ['accelerated', 'large', 'local', 'medium', 'small']
const VERSIONS = ['1.36.1', '1.35.4', '1.35.2', '1.34.3', '1.34.1', '1.33.5']

/** Of each answer the code of the failure, and where it names fields, the fields with the supported values. */
const EXPECTED: Readonly<
  Record<string, readonly [code: string, ...fields: readonly (readonly [string, ...string[]])[]]>
> = {
  'name too long': ['GardenerMisconfigured', ['GARDENER_MAX_SHOOT_NAME_LEN']],
  'name not allowed': ['GardenerMisconfigured', ['GARDENER_MAX_SHOOT_NAME_LEN']],
  'unknown region': ['ShootRefused', ['region', 'local', 'eu-central', 'eu-north']],
  'unknown version': ['ShootRefused', ['kubernetes_version', ...VERSIONS]],
  'unknown minor version': ['ShootRefused', ['kubernetes_version']],
  'expired version': ['ShootRefused', ['kubernetes_version', ...VERSIONS]],
  'unknown machine type': ['ShootRefused', ['node_pools[0].machine_type', ...TYPES]],
  'machine type not usable': ['ShootRefused', ['node_pools[0].machine_type', ...TYPES]],
  'unknown image': ['GardenerMisconfigured', ['machine image']],
  'unknown image version': ['GardenerMisconfigured', ['machine image', 'local:1.0.0']],
  'missing binding': ['GardenerMisconfigured'],
  'no binding': ['GardenerMisconfigured', ['GARDENER_CREDENTIALS_BINDING_NAME']],
  'minimum above maximum': ['ShootRefused', ['node_pools[0].autoscale_max']],
  'negative minimum': ['ShootRefused', ['node_pools[0].autoscale_min']],
  'no machine at all': ['ShootRefused', ['node_pools']],
  'surge 0 and unavailable 0': ['ShootRefused', ['node_pools[0]']],
  'worker name too long': ['ShootRefused', ['node_pools[0].name']],
  'worker name not allowed': ['ShootRefused', ['node_pools[0].name']],
  'duplicate worker names': ['ShootRefused', ['node_pools']],
  'duplicate worker names (created)': ['ShootRefused', ['node_pools[1].name']],
  'no workers': ['ShootRefused', ['node_pools']],
  'unknown CloudProfile': ['GardenerMisconfigured'],
  'unknown provider': ['GardenerMisconfigured'],
  'unknown network type': ['GardenerMisconfigured'],
  'maintenance window too short': ['ShootRefused', ['maintenance']],
  'maintenance window too long': ['ShootRefused', ['maintenance']],
  'several of the admission at once': [
    'ShootRefused',
    ['region', 'local', 'eu-central', 'eu-north'],
    ['node_pools[0].machine_type', ...TYPES],
  ],
  'several of the validation at once': ['ShootRefused', ['node_pools[0].name'], ['node_pools[0].autoscale_max']],
  'namespace without project': ['NamespacePending'],
  'missing namespace': ['NamespacePending'],
  'quota of the binding exceeded': ['InfrastructureQuota'],
  downgrade: ['ShootRefused', ['kubernetes_version'], ['node_pools[0]']],
  'downgrade of the patch': ['ShootRefused', ['kubernetes_version'], ['node_pools[0]']],
  'two minor versions at once': ['ShootRefused', ['kubernetes_version']],
  'change to an unknown version': ['ShootRefused', ['kubernetes_version', ...VERSIONS]],
  'region change': ['ShootRefused', ['region']],
  'provider change': ['GardenerMisconfigured', ['GARDENER_PROVIDER_TYPE']],
  'completion of a rotation that was not started': ['ShootRefused', ['operation'], ['operation']],
  'unknown operation': ['ShootRefused', ['operation', 'force-in-place-update', 'maintain']],
  'delete without confirmation': ['GardenerForbidden'],
  'change while deleting': ['ShootTerminating'],
  'upgrade while deleting': ['ShootTerminating'],
  'quota of the project exceeded': ['InfrastructureQuota'],
  'project name too long': ['GardenerMisconfigured', ['GARDENER_MAX_SHOOT_NAME_LEN']],
  'project namespace taken': ['GardenerForbidden'],
  'project deletion without confirmation': ['GardenerForbidden'],
}

test('every kept answer has an expectation', () => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(answers.map((answer) => answer.case).toSorted())
})

test.each(answers.map((answer) => [answer.case, answer] as const))('%s', (name, answer) => {
  const refusal = refusalOf(errorOf(answer), {})
  const [code = '', ...fields] = EXPECTED[name] ?? []
  const failure = failureOf(refusal)
  expect(failure.code).toBe(code)
  expect(failure.message).toContain(answer.message.trim())
  const refused = refusal instanceof ShootRefusal ? refusal.refused : []
  expect(refused.map(({ field }) => field)).toEqual(fields.map(([field]) => field))
  for (const [index, [, ...supported]] of fields.entries())
    expect(refused[index]?.supported.slice(0, supported.length)).toEqual(supported)
})

describe('a refused field', () => {
  const refused = (message: string) => {
    const refusal = refusalOf(errorOf({ status: 403, reason: 'Forbidden', message, causes: [] }), {})
    return refusal instanceof ShootRefusal ? refusal.fields : undefined
  }
  test('is told with the supported values', () => {
    expect(
      refused('shoots "x" is forbidden: spec.region: Unsupported value: "mars": supported values: "a", "b"'),
    ).toEqual([expect.objectContaining({ field: 'region', message: 'mars is not supported; supported: a, b' })])
  })

  test('of a value that looks like another problem is one problem', () => {
    const message =
      'shoots "x" is forbidden: spec.region: Unsupported value: "spec.x: Invalid value: 1": supported values: "a"'
    expect(refused(message)).toHaveLength(1)
  })
})

describe('a value of a user', () => {
  const ofRegion = (quoted: string) => {
    const message = `shoots "x" is forbidden: spec.region: Unsupported value: ${quoted}: supported values: "a"`
    return refusalOf(errorOf({ status: 403, reason: 'Forbidden', message, causes: [] }), {})
  }

  test.each(['"\\a"', '"\\x7f"', '"\\U000e0001"'])('that Go quotes as JSON does not is told: %s', (quoted) => {
    const refusal = ofRegion(quoted)
    expect(refusal).toBeInstanceOf(ShootRefusal)
    expect((refusal as ShootRefusal).refused).toMatchObject([{ field: 'region', value: quoted.slice(1, -1) }])
  })

  test.each([
    'deletion timestamp is set',
    'no project found',
    'quota limits exceeded',
    'a \\"b\\" uses non-registered',
  ])('that reads like a sentence of Gardener is a value all the same: %s', (text) => {
    expect(failureOf(ofRegion(`"${text}"`)).code).toBe('ShootRefused')
  })
})

describe('other errors', () => {
  test.each([
    [{ status: 403, message: 'shoots is forbidden: User "caelus" cannot list resource "shoots"' }, 'GardenerForbidden'],
    [{ status: 401, message: 'Unauthorized' }, 'GardenerForbidden'],
    [{ status: 503, message: 'the server is currently unable to handle the request' }, 'GardenerUnreachable'],
    [{ status: 429, message: 'too many requests' }, 'GardenerUnreachable'],
    [{ status: 409, message: 'the object has been modified' }, 'KubeConflict'],
    [{ status: 404, message: 'namespaces "garden-x" not found' }, 'NamespacePending'],
    [{ status: 422, message: 'Shoot.core.gardener.cloud "c1" is invalid: too much of it' }, 'ShootRefused'],
    [{ status: 400, message: 'error decoding patch: unknown field' }, 'ShootRefused'],
    [{ status: 400, message: 'admission webhook "policy.example.com" denied the request: no' }, 'ShootRefused'],
    [{ status: 403, message: 'admission webhook "policy.example.com" denied the request: no' }, 'ShootRefused'],
  ])('%j is %s', (answer, code) => {
    const failure = failureOf(refusalOf(errorOf({ reason: '', causes: [], ...answer }), {}))
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(answer.message)
    // A sync never gives up.
    expect(failure.retryable).toBe(true)
  })

  test('a namespace that the settings name is the matter of the operator', () => {
    const error = errorOf({ status: 404, reason: 'NotFound', message: 'namespaces "garden-x" not found', causes: [] })
    expect(failureOf(refusalOf(error, { namespace: 'garden-x' })).code).toBe('GardenerMisconfigured')
  })

  test('of a worker with an older fence are told with what to do where no other worker runs', () => {
    const stale = refusalOf(new FailureError({ ...STALE, code: 'KubeStaleFence' }), {})
    expect(failureOf(stale)).toMatchObject({
      code: 'ClusterStaleFence',
      nextStep: expect.stringMatching(
        /^No action needed if another worker .* remove the annotation caelus\.io\/fence/,
      ) as unknown,
    })
  })

  test('that are none of the API stay as they are', () => {
    const error = new Error('aborted')
    expect(refusalOf(error, {})).toBe(error)
  })

  test('keep the delay that Gardener asked for', () => {
    const error = new KubeError('get x', { code: 429, message: 'slow down' }, 7_000)
    expect((refusalOf(error, {}) as FailureError).retryAfterMs).toBe(7_000)
  })
})
