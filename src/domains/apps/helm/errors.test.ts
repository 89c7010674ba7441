import { describe, expect, it } from 'vitest'
import type { AppFailureCode } from '../failures.ts'
import { classifyHelmError } from './errors.ts'
import { expectNoSentinel, SENTINEL, sentinelSpellings } from '../../../../test/support/sentinel.ts'
import { masker } from '../values/redaction.ts'

const asIs = { mask: masker([]) }

/** Written by Helm 4.3.1 against a 1.35 API server; names and hosts are replaced, long ones shortened. */
const HELM_4: readonly (readonly [AppFailureCode, string])[] = [
  [
    'SchemaViolation',
    "Error: values don't meet the specifications of the schema(s) in the following chart(s):\nch:\n- at '/replicas': got string, want integer",
  ],
  ['ChartInvalid', 'Error: execution error at (ch/templates/c.yaml:11:34): please set it'],
  [
    'ChartInvalid',
    'Error: ch/templates/c.yaml:12:40\n  executing "ch/templates/c.yaml" at <.Values.x.y.z>:\n    nil pointer evaluating interface {}.y',
  ],
  [
    'ChartInvalid',
    'Error: YAML parse error on ch/templates/c.yaml: error converting YAML to JSON: yaml: mapping values are not allowed in this context',
  ],
  [
    'KindUnknown',
    'Error: unable to build kubernetes objects from release manifest: resource mapping not found for name: "x" namespace: "" from "": no matches for kind "Foo" in version "foo.io/v1"\nensure CRDs are installed first',
  ],
  [
    'ChartInvalid',
    "Error: an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: x",
  ],
  [
    'ObjectInvalid',
    'Error: INSTALLATION FAILED: server-side apply failed for object ns/bad /v1, Kind=Service: failed to create typed patch object (ns/bad; /v1, Kind=Service): .spec.nonsense: field not declared in schema',
  ],
  ['ChartMissing', 'Error: path "./nochart" not found'],
  [
    'ChartMissing',
    'Error: failed to perform "FetchReference" on source: registry.example.com/charts/ch:0.1.0: not found',
  ],
  ['ChartMissing', 'Error: failed to fetch https://charts.example.com/x.tgz : 404 Not Found'],
  ['ChartMissing', 'Error: chart "ch" version "9.9.9" not found in https://charts.example.com repository'],
  [
    'ChartForbidden',
    'Error: failed to perform "FetchReference" on source: GET "https://registry.example.com/v2/ch/manifests/0.1.0": basic credential not found',
  ],
  [
    'ChartUnreachable',
    'Error: failed to perform "FetchReference" on source: GET "https://registry.example.com/v2/ch/manifests/0.1.0": response status code 503: Service Unavailable',
  ],
  [
    'ChartUnreachable',
    'Error: failed to perform "FetchReference" on source: Get "https://127.0.0.1:1/v2/x/y/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused',
  ],
  ['ChartUnreachable', 'Error: Get "http://127.0.0.1:1/y.tgz": dial tcp 127.0.0.1:1: connect: connection refused'],
  [
    'DigestMismatch',
    'Error: failed to perform "FetchReference" on source: GET "https://registry.example.com/v2/ch/manifests/sha256:cd": invalid response; digest mismatch in Docker-Content-Digest: received "sha256:c2" when expecting "sha256:cd"',
  ],
  ['DigestMismatch', 'Error: failed to perform "Push" on destination: mismatched digest'],
  [
    'ObjectInvalid',
    `Error: server-side apply failed for object ns/s_x /v1, Kind=Service: Service "s_x" is invalid: spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive`,
  ],
  [
    'NeverHealthy',
    'Error: release r2 failed, and has been uninstalled due to rollback-on-failure being set: resource Deployment/ns/web not ready. status: InProgress, message: Available: 0/1\ncontext deadline exceeded',
  ],
  [
    'ControlPlaneUnreachable',
    'Error: INSTALLATION FAILED: create: failed to create: unexpected error when reading response body. Please retry. Original error: unexpected EOF',
  ],
  [
    'ControlPlaneUnreachable',
    'Error: UPGRADE FAILED: an error on the server ("apiserver not ready") has prevented the request from succeeding',
  ],
  [
    'ControlPlaneUnreachable',
    'Error: INSTALLATION FAILED: resource Service/ns/web not ready. status: Unknown, message:\nresource Deployment/ns/web not ready. status: Unknown, message:',
  ],
  [
    'NeverHealthy',
    'Error: INSTALLATION FAILED: resource Service/ns/web not ready. status: Unknown, message:\nresource Deployment/ns/web not ready. status: InProgress, message: Available: 0/1',
  ],
  [
    'NeverHealthy',
    'Error: INSTALLATION FAILED: resource Thing/ns/web not ready. status: Unknown, message:\ncontext deadline exceeded',
  ],
  [
    'OwnershipConflict',
    'level=WARN msg="upgrade failed" name=r error="conflict occurred"\nError: UPGRADE FAILED: conflict occurred while applying object ns/web apps/v1, Kind=Deployment: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
  ],
  [
    'ObjectTaken',
    'Error: unable to continue with install: ConfigMap "cm" in namespace "ns" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: key "meta.helm.sh/release-name" must equal "other": current value is "r"',
  ],
  [
    'ControlPlaneUnreachable',
    'Error: kubernetes cluster unreachable: Get "https://127.0.0.1:9/version": dial tcp 127.0.0.1:9: connect: connection refused',
  ],
  [
    'HookFailed',
    'Error: UPGRADE FAILED: pre-upgrade hooks failed: resource Job/ns/h not ready. status: Failed, message: Job Failed. failed: 1/1',
  ],
  [
    'FieldImmutable',
    'Error: UPGRADE FAILED: server-side apply failed for object ns/sec /v1, Kind=Secret: Secret "sec" is invalid: data: Forbidden: field is immutable when `immutable` is set',
  ],
  [
    'QuotaExceeded',
    'Error: server-side apply failed for object ns/cm /v1, Kind=ConfigMap: configmaps "cm" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=0',
  ],
  [
    'HelmForbidden',
    'Error: query: failed to query with labels: secrets is forbidden: User "nobody" cannot list resource "secrets" in API group "" in the namespace "ns"',
  ],
  ['ReleasePending', 'Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress'],
  ['ReleasePending', 'Error: INSTALLATION FAILED: release name check failed: cannot reuse a name that is still in use'],
  [
    'StaleFence',
    `Error: create: failed to create: secrets "sh.helm.release.v1.r.v1" is forbidden: ValidatingAdmissionPolicy 'caelus-fence' with binding 'caelus-fence' denied request: stale fence`,
  ],
  [
    'NamespaceTerminating',
    'Error: create: failed to create: secrets "sh.helm.release.v1.r.v1" is forbidden: unable to create new content in namespace ns because it is being terminated',
  ],
  [
    'ReleaseTooLarge',
    'Error: INSTALLATION FAILED: create: failed to create: Secret "sh.helm.release.v1.r.v1" is invalid: data: Too long: may not be more than 1048576 bytes',
  ],
  [
    'HelmForbidden',
    'Error: INSTALLATION FAILED: failed to install CRD crds/foo.yaml: customresourcedefinitions.apiextensions.k8s.io is forbidden: User "caelus:worker" cannot create resource "customresourcedefinitions" in API group "apiextensions.k8s.io" at the cluster scope',
  ],
  [
    'HelmForbidden',
    'Error: unable to continue with install: could not get information about the resource ClusterRole "x" in namespace "": clusterroles.rbac.authorization.k8s.io "x" is forbidden: User "caelus:worker" cannot get resource "clusterroles"',
  ],
  ['HelmFailed', 'Error: INSTALLATION FAILED: create: failed to create: namespaces "ns" not found'],
]

/** In the wording that Helm 3 is known for; not recorded from a run. */
const HELM_3: readonly (readonly [AppFailureCode, string])[] = [
  [
    'NeverHealthy',
    'Error: release hello failed, and has been uninstalled due to atomic being set: timed out waiting for the condition',
  ],
  ['NeverHealthy', 'Error: INSTALLATION FAILED: context deadline exceeded'],
  [
    'ObjectTaken',
    'Error: INSTALLATION FAILED: rendered manifests contain a resource that already exists. Unable to continue with install: Service "web" in namespace "ns" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"',
  ],
  [
    'FieldImmutable',
    `Error: UPGRADE FAILED: cannot patch "db" with kind StatefulSet: StatefulSet.apps "db" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden`,
  ],
  [
    'HookFailed',
    'Error: INSTALLATION FAILED: failed pre-install: 1 error occurred:\n\t* job failed: BackoffLimitExceeded',
  ],
  ['ChartMissing', 'Error: INSTALLATION FAILED: registry.example.com/charts/hello:9.9.9: not found'],
  [
    'ChartForbidden',
    'Error: failed to authorize: failed to fetch oauth token: unexpected status from GET request to https://auth.example.com/token: 401 Unauthorized',
  ],
  [
    'ControlPlaneUnreachable',
    'Error: Kubernetes cluster unreachable: Get "https://10.0.0.1:6443/version": dial tcp 10.0.0.1:6443: i/o timeout',
  ],
  [
    'ControlPlaneUnreachable',
    'Error: UPGRADE FAILED: Get "https://10.0.0.1:6443/apis/apps/v1/namespaces/ns/deployments/web": dial tcp 10.0.0.1:6443: connect: connection refused',
  ],
  ['ControlPlaneUnreachable', 'Error: INSTALLATION FAILED: Get "https://10.0.0.1:6443/api?timeout=32s": EOF'],
  [
    'ControlPlaneUnreachable',
    'Error: create: failed to create: Post "https://10.0.0.1:6443/api/v1/namespaces/ns/secrets": unexpected EOF',
  ],
  [
    'ControlPlaneUnreachable',
    'Error: INSTALLATION FAILED: Get "https://10.0.0.1:6443/openapi/v3": http2: client connection lost',
  ],
  ['ControlPlaneUnreachable', 'Error: the server is currently unable to handle the request (get secrets)'],
  [
    'AdmissionRefused',
    'Error: UPGRADE FAILED: cannot patch "web" with kind Deployment: admission webhook "validate.kyverno.svc-fail" denied the request: policy says no',
  ],
  [
    'ReleaseTooLarge',
    'Error: INSTALLATION FAILED: create: failed to create: Secret "sh.helm.release.v1.r.v1" is invalid: data: Too long: must have at most 1048576 bytes',
  ],
  [
    'ReleaseTooLarge',
    'Error: INSTALLATION FAILED: create: failed to create: Secret "sh.helm.release.v1.huge.v1" is invalid: data: Too long: may not be more than 1048576 bytes',
  ],
]

/**
 * The same texts with a hole where a value, a name or a key of a tenant stands, as Go writes it there: quoted, or as it is.
 * Names of objects reach Helm's own sentences unquoted.
 */
type Write = (value: string) => string
const quoted: Write = (value) => JSON.stringify(value)
const WITH_VALUES: readonly (readonly [AppFailureCode, Write])[] = [
  [
    'ObjectInvalid',
    (v) =>
      `INSTALLATION FAILED: ConfigMap "x" is invalid: metadata.labels: Invalid value: ${quoted(v)}: a valid label must be`,
  ],
  [
    'ObjectInvalid',
    (v) =>
      `UPGRADE FAILED: server-side apply failed for object ns/x /v1, Kind=ConfigMap: ConfigMap ${quoted(v)} is invalid: metadata.name: Invalid value: ${quoted(v)}: a lowercase RFC 1123 subdomain must consist of`,
  ],
  [
    'ObjectInvalid',
    (v) =>
      `ConfigMap "x" is invalid: data[${v.replaceAll(']', '')}]: Invalid value: ${quoted(v)}: a valid config key must consist of`,
  ],
  [
    'ObjectInvalid',
    (v) =>
      `failed to create typed patch object (ns/${v}; /v1, Kind=Service): .spec.nonsense: field not declared in schema`,
  ],
  [
    'FieldImmutable',
    (v) =>
      `UPGRADE FAILED: cannot patch ${quoted(v)} with kind Deployment: Deployment.apps ${quoted(v)} is invalid: spec.selector: Invalid value: {"matchLabels":{"app":${quoted(v)}}}: field is immutable`,
  ],
  [
    'ObjectInvalid',
    (v) => `Deployment.apps "x" is invalid: spec.template: Invalid value: {"app":${quoted(v)}}: must be something else`,
  ],
  ['ChartInvalid', (v) => `INSTALLATION FAILED: execution error at (ch/templates/c.yaml:11:34): ${v}`],
  ['ChartInvalid', (v) => `ch/templates/c.yaml:12:40\n  executing "ch/templates/c.yaml" at <fail>:\n    ${v}`],
  [
    'ChartInvalid',
    (v) =>
      `YAML parse error on ch/templates/c.yaml: error converting YAML to JSON: yaml: unknown anchor '${v}' referenced`,
  ],
  [
    'SchemaViolation',
    (v) =>
      `values don't meet the specifications of the schema(s) in the following chart(s):\nch:\n- at '/${v}': got string, want integer`,
  ],
  [
    'KindUnknown',
    (v) =>
      `unable to build kubernetes objects from release manifest: resource mapping not found for name: ${quoted(v)} namespace: "" from "": no matches for kind "Foo" in version "foo.io/v1"`,
  ],
  [
    'QuotaExceeded',
    (v) =>
      `server-side apply failed for object ns/cm /v1, Kind=ConfigMap: configmaps ${quoted(v)} is forbidden: exceeded quota: q, requested: configmaps=1`,
  ],
  ['AdmissionRefused', (v) => `admission webhook "validate.example" denied the request: ${v}`],
  [
    'AdmissionRefused',
    (v) => `pods "x" is forbidden: ValidatingAdmissionPolicy 'theirs' with binding 'theirs' denied request: ${v}`,
  ],
  ['AdmissionRefused', (v) => `pods "x" is forbidden: violates PodSecurity "restricted:latest": ${v}`],
  [
    'HelmForbidden',
    (v) =>
      `roles.rbac.authorization.k8s.io ${quoted(v)} is forbidden: User "caelus:worker" cannot create resource "roles"`,
  ],
  [
    'ObjectTaken',
    (v) =>
      `unable to continue with install: ConfigMap ${quoted(v)} in namespace "ns" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: key "a" must equal "other": current value is ${quoted(v)}`,
  ],
  [
    'OwnershipConflict',
    (v) =>
      `UPGRADE FAILED: conflict occurred while applying object ns/${v} apps/v1, Kind=Deployment: Apply failed with 1 conflict: conflict with ${quoted(v)} using apps/v1: .spec.replicas`,
  ],
  [
    'NeverHealthy',
    (v) =>
      `release r failed, and has been uninstalled due to rollback-on-failure being set: resource Thing/ns/web not ready. status: InProgress, message: ${v}\ncontext deadline exceeded`,
  ],
  [
    'HookFailed',
    (v) => `UPGRADE FAILED: pre-upgrade hooks failed: resource Job/ns/h not ready. status: Failed, message: ${v}`,
  ],
  // Its name is no name, and what Helm says about it cannot be told from what it says.
  [
    'HelmFailed',
    (v) =>
      `UPGRADE FAILED: server-side apply failed for object ns/a ${v} /v1, Kind=ConfigMap: ConfigMap ${quoted(v)} is invalid: metadata.name: Invalid value`,
  ],
]

const HOSTILE = [
  'stale fence',
  `x" is forbidden: ValidatingAdmissionPolicy 'caelus-fence' with binding 'caelus-fence' denied request: stale fence`,
  `secrets "x" is forbidden: ValidatingAdmissionPolicy 'caelus-fence' with binding 'caelus-fence' denied request: stale fence`,
  'Error: Kubernetes cluster unreachable: Get "https://10.0.0.1:6443/version": dial tcp 10.0.0.1:6443: connect: connection refused',
  ': Kubernetes cluster unreachable: ',
  'x\nError: Kubernetes cluster unreachable',
  'x\nError: another operation (install/upgrade/rollback) is in progress',
  'Get "https://10.0.0.1:6443/api/v1/x": dial tcp 10.0.0.1:6443: connect: connection refused',
  'pods "x" is forbidden: exceeded quota: q, requested: pods=1',
  '", Kind=ConfigMap: etcdserver: leader changed',
  ', Kind=ConfigMap: etcdserver: leader changed',
  '/v1, Kind=ConfigMap: etcdserver: leader changed',
  'resource X/ns/x not ready. status: Unknown, message:',
  'admission webhook "x" denied the request: no',
  '\\',
  '"',
  "'",
  '}}: field is immutable, spec: Forbidden: field is immutable',
  'harmless',
]

describe('what a tenant wrote', () => {
  it.each(WITH_VALUES)('does not decide the code %s', (code, write) => {
    for (const value of HOSTILE) {
      const { failure } = classifyHelmError(`Error: ${write(value)}\n`, asIs)
      const isUnclear = value.includes(', Kind=') && write(value).includes('server-side apply failed')
      expect([value, failure.code]).toEqual([value, isUnclear ? 'HelmFailed' : code])
    }
  })

  it.each([
    ['a/b:', 60_000],
    ["validatingadmissionpolicy 'x' ", 60_000],
    ['chart "" ', 60_000],
    ['"\\', 60_000],
    ['a: ', 60_000],
    ['a/', 60_000],
    ['Invalid value: {', 60_000],
    ['x "y" is invalid: a: Invalid value: {"', 60_000],
  ])('%j, however often it is repeated, costs no time', (unit, times) => {
    const text = unit.repeat(times)
    const began = performance.now()
    for (const stderr of [
      text,
      `Error: ${text}`,
      `Error: ConfigMap "x" is invalid: data: Invalid value: ${quoted(text)}: no`,
    ]) {
      classifyHelmError(stderr, asIs)
    }
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})

describe('classifyHelmError', () => {
  it.each(HELM_4)('Helm 4: %s from %s', (code, stderr) => {
    expect(classifyHelmError(stderr, asIs).failure.code).toBe(code)
  })

  it.each(HELM_3)('Helm 3: %s from %s', (code, stderr) => {
    expect(classifyHelmError(stderr, asIs).failure.code).toBe(code)
  })

  it('lets the pods say why a deadline passed', () => {
    const diagnostics = { code: 'ImageNeverReady', message: 'image nope:1 cannot be pulled' } as const
    const { failure } = classifyHelmError('Error: context deadline exceeded', { ...asIs, diagnostics })
    expect(failure).toMatchObject({
      code: 'ImageNeverReady',
      message: 'image nope:1 cannot be pulled (context deadline exceeded)',
    })
    expect(classifyHelmError('Error: path "x" not found', { ...asIs, diagnostics }).failure.code).toBe('ChartMissing')
  })

  it('quotes only the complaint, in one line', () => {
    const stderr =
      'Release "r" does not exist. Installing it now.\nlevel=WARN msg="upgrade failed"\nError: UPGRADE FAILED: no:\n  a\n  b\n'
    expect(classifyHelmError(stderr, asIs).failure.message).toBe('no: a b')
    expect(classifyHelmError('', asIs).failure.message).toBe('helm failed and said nothing')
  })

  it('repeats no secret that the API server quoted', () => {
    for (const spelling of sentinelSpellings().values()) {
      const stderr = `Error: Service "s" is invalid: spec.externalName: Invalid value: "${spelling}": must be a DNS name`
      const { failure } = classifyHelmError(stderr, { mask: masker([SENTINEL]) })
      expect(failure.code).toBe('ObjectInvalid')
      expectNoSentinel(failure.message)
    }
  })

  it('masks before it joins lines and cuts', () => {
    const key = `-----BEGIN KEY-----\n${SENTINEL}\n${SENTINEL}\n-----END KEY-----`
    for (const before of [0, 900, 940, 960, 980]) {
      const stderr = `Error: ${'x'.repeat(before)} value:\n  ${key.replaceAll('\n', '\n  ')}\nis wrong`
      expectNoSentinel(classifyHelmError(stderr, { mask: masker([key]) }).failure.message)
      expectNoSentinel(classifyHelmError(stderr, { mask: masker([SENTINEL]) }).failure.message)
    }
  })
})

it('leaves out what only helps who runs Helm by hand', () => {
  const stderr =
    'Error: YAML parse error on odd/templates/a.yaml: error converting YAML to JSON: yaml: line 4\n\nUse --debug flag to render out invalid YAML\n'
  expect(classifyHelmError(stderr, asIs).failure).toMatchObject({
    code: 'ChartInvalid',
    message: 'YAML parse error on odd/templates/a.yaml: error converting YAML to JSON: yaml: line 4',
  })
})
