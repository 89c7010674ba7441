import { defineFailures } from '../../kernel/index.ts'

export const RETRIED = 'It is retried by itself.'

/** Everything that can go wrong with an app. What `retryable: false` parks, a change of intent or a person's retry revives. */
export const raise = defineFailures({
  TemplateMissing: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Move the deployment to a template that exists (an admin may set its template), or delete it.',
  },
  ChartMissing: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Push the named chart version to its registry, or publish a template that names one that is there.',
  },
  ChartUnreachable: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: `${RETRIED} If it stays, check that the registry of the chart is up and reachable from the worker.`,
  },
  ChartForbidden: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Store what its host wants with `caelus set-chart-source`: a user and password, or its authority.',
  },
  ChartInvalid: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Correct the chart where the message says, and publish it as a new template.',
  },
  DigestMismatch: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'The published chart was replaced. Find out why; then publish a template with the digest that you trust.',
  },
  ChartUnverified: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Have the chart signed (`helm package --sign`) and its .prov file published beside it, or trust the key that signed it: `caelus set-chart-source --keyring-file`.',
  },
  SchemaViolation: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Correct the values that the message names.',
  },
  TemplateBroken: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Publish a template whose defaults and schema agree, as the message says.',
  },
  TemplateUnusable: {
    whoseMove: 'user',
    retryable: false,
    nextStep:
      'Publish it with values that leave out what is refused (default_values), grant it (grants) where that is possible, or correct the chart. With accept_problems it is published all the same.',
  },
  TemplateNotOrderable: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Ask an admin to publish a template without what the message names; ordering again does not help.',
  },
  ValuesUnreadable: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Add the key that the message names to CAELUS_VALUES_KEY; sealed values cannot be opened without it.',
  },
  TenantLimit: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Delete a deployment that is not needed and wait until it is gone, or ask an admin for a higher limit.',
  },
  DomainReserved: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a domain that is not below a name of the platform.',
  },
  DomainOwned: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose another domain, or ask an admin to assign the domain to you.',
  },
  DomainNotAllowed: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a domain below one that the message names, or ask an admin to assign one to you.',
  },
  QuotaExceeded: {
    whoseMove: 'user',
    retryable: true,
    nextStep: `Ask for less, or have the quota that the message names raised. ${RETRIED}`,
  },
  ImageNeverReady: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `Check that the image exists and that the nodes may pull it. ${RETRIED}`,
  },
  NeverHealthy: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `Read the diagnostics: container states, events and last log lines say what it waits for. ${RETRIED}`,
  },
  Unhealthy: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Read the diagnostics: it was healthy before. It is ready again by itself once it is healthy.',
  },
  ReleaseUnreadable: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Delete the Secret that the message names so that the revision before it counts, or delete the deployment, which needs no record.',
  },
  NamespaceTaken: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'A namespace of this name exists and does not belong to Caelus, which never changes it. Delete it, or label it with caelus.io/deployment-id if it is ours.',
  },
  NamespaceTerminating: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'It is made anew by itself once the old one is gone; explain names what holds that.',
  },
  NamespaceBlocked: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Remove what the message names (a finalizer, a dead webhook or APIService); deletion then goes on alone.',
  },
  StaleFence: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Nothing: another worker has taken over and goes on from here.',
  },
  ReleasePending: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'It is unlocked by itself before the next try.',
  },
  OwnershipConflict: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'It is settled by itself before the next try: the named field is repaired or handed over.',
  },
  ObjectTaken: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Remove or rename the object that the message names; it belongs to another release.',
  },
  KindUnknown: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Install the custom resource definition that the chart needs (`caelus install-crds` where the chart brings it), or publish a template for this control plane.',
  },
  ObjectInvalid: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Correct the chart or the values so that the named field is valid.',
  },
  FieldImmutable: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Take the change of the named field back, or delete the object by hand and let it be created again.',
  },
  AdmissionRefused: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `Change the chart so that the named policy admits it, or ask the owner of the policy. ${RETRIED}`,
  },
  HookFailed: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `Read the log of the named hook. ${RETRIED}`,
  },
  ReleaseTooLarge: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Make the chart smaller: its release record is larger than the API server stores.',
  },
  ObjectNotAllowed: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'A release consists of namespaced objects in its own namespace. Switch the named objects off by values of the chart (often rbac.create or the like) and publish that as a template, grant them to the template as they are (`caelus grant-template`), or choose another chart.',
  },
  GrantsDisabled: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Set `apps.grants` of the Helm chart of Caelus to true, which lets the worker hand over rights that admins grant to templates; or revoke the grants and publish a template without these objects.',
  },
  DefinitionsRefused: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Publish a template whose chart has the newer definitions, or install them with the tools of whoever keeps them: the message names each.',
  },
  DefinitionsDisabled: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Set `apps.installCrds` of the Helm chart of Caelus to true, or install them by hand: `helm show crds <chart> | kubectl apply --server-side -f -`.',
  },
  RenderTimedOut: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Correct the templates of the chart, which do not come to an end with these values, or raise CAELUS_RENDER_TIMEOUT.',
  },
  RenderTooLarge: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Make what the chart renders smaller, or split it: the message names the limit.',
  },
  HelmForbidden: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'A release may do everything in its own namespace and nothing outside of it. Leave what the message names out of the chart; if it is inside of the namespace, find out who took the role caelus-release away from caelus:worker there.',
  },
  ControlPlaneUnreachable: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: `${RETRIED} If it stays, check that the API server is up and reachable from the worker.`,
  },
  ClusterUnreachable: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: `${RETRIED} If it stays, look at the status of the cluster, and whether its API server can be reached from the worker.`,
  },
  ClusterGone: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Delete the deployment and order it anew in another cluster: the one that it was in is gone.',
  },
  HelmFailed: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: `${RETRIED} If it stays, the message is what Helm said last.`,
  },
  DomainTaken: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a domain that no other deployment uses.',
  },
  UpgradeNotAllowed: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Ask an admin: only admins move a deployment to another template.',
  },
  DowngradeRefused: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a template whose chart is not older than the present one.',
  },
  ForeignProduct: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a template of the same product, or order the other product as a new deployment.',
  },
  RevisionMissing: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'List the revisions and choose one of them; CAELUS_APPS_KEEP_REVISIONS says how many are kept.',
  },
  TemplateDeleted: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a revision whose template is still there, or change the settings by hand.',
  },
  NameTaken: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose a name that no other product has.',
  },
  TemplateExists: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Use the template that the message names, or publish one that differs from it.',
  },
  TemplateInUse: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Make another template canonical first.',
  },
  JobDone: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Enqueue the deployment anew: a job that is done stays done.',
  },
  FailedByHand: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Requeue the job once the reason is gone.',
  },
  TooManyPreviews: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Wait for the previews that were asked for before, then ask again.',
  },
  PreviewsBusy: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Ask again in a moment. If it stays, raise CAELUS_PREVIEW_CONCURRENCY and the memory of the API.',
  },
  PreviewTooSlow: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Find out why the chart takes so long to render, or raise CAELUS_PREVIEW_TIMEOUT.',
  },
  BeingDeleted: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Order it again once it is gone: a deletion cannot be taken back.',
  },
})

export type AppFailureCode = keyof typeof raise
