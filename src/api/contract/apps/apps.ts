import { Type, type Static } from 'typebox'
import { ICON_PATTERN, NOT_BLANK_PATTERN } from '../patterns.ts'
import { FailureView } from '../insight.ts'
import { JsonObject, MaybeText, MaybeTimestamp, orNull, Timestamp } from '../words.ts'

export const ProductView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: MaybeText,
  icon: orNull(Type.String(), 'An image as a data URL.'),
  template_id: orNull(Type.String(), 'The canonical template: the one that new deployments get.'),
  generation: Type.Integer({ description: 'Incremented by every change; also in ETag.' }),
  created_at: Timestamp,
})
export type ProductView = Static<typeof ProductView>

export const ProductCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: NOT_BLANK_PATTERN }),
    description: Type.Optional(orNull(Type.String({ maxLength: 4000 }))),
    icon: Type.Optional(orNull(Type.String({ maxLength: 100_000, pattern: ICON_PATTERN }))),
  },
  { additionalProperties: false },
)
export type ProductCreate = Static<typeof ProductCreate>

export const ProductPatch = Type.Partial(ProductCreate, { additionalProperties: false })
export type ProductPatch = Static<typeof ProductPatch>

export const WIDGETS = [
  'text',
  'textarea',
  'password',
  'number',
  'checkbox',
  'select',
  'checkboxes',
  'list',
  'group',
] as const

export const UiHintView = Type.Object({
  pointer: Type.String({ description: 'Into the user part; `*` stands for every item.' }),
  widget: Type.Enum([...WIDGETS]),
  title: Type.String(),
  unit: Type.Optional(Type.String()),
  order: Type.Optional(Type.Number({ description: 'Smaller stands first; without one, the order of the schema.' })),
  write_only: Type.Optional(Type.Boolean({ description: 'Can be written and never read back.' })),
})
export type UiHintView = Static<typeof UiHintView>

export const TemplateFormView = Type.Object(
  {
    enabled: Type.Boolean({ description: 'False: this product takes no settings.' }),
    schema: JsonObject,
    ui_hints: Type.Array(UiHintView),
    defaults: JsonObject,
    hidden: Type.Array(Type.Object({ pointer: Type.String(), why: Type.String() })),
  },
  { description: 'Everything needed to draw and check the form, and nothing secret.' },
)
export type TemplateFormView = Static<typeof TemplateFormView>

const layoutPaths = (description: string) => Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20, description })

export const LayoutView = Type.Object(
  {
    domain_paths: layoutPaths('Where the domain goes, as JSON pointers.'),
    ingress_class_paths: layoutPaths('Where the name of the ingress class goes.'),
    caelus_values: Type.Boolean({ description: 'Whether the chart receives `caelus.*`.' }),
    plan: orNull(JsonObject, '`caelus.plan`. Null: the template is from before there were plans.'),
    user_values: Type.Enum(['user', 'root'], {
      description: 'Whether what tenants set lies under `user`, or is laid over the values as they are.',
    }),
  },
  { description: 'Where in the values of the chart the platform and the tenant write.' },
)
export type LayoutView = Static<typeof LayoutView>

export const LayoutCreate = Type.Partial(
  Type.Object({
    domain_paths: layoutPaths(
      'Such as `serverName`, `ingress.hosts[0].host` or `/ingress/host`. Absent: `ingress.host`, or with settings at the root the fields titled "hostname" if there are any.',
    ),
    ingress_class_paths: layoutPaths('Absent: `ingress.className`. Empty: the chart receives none.'),
    caelus_values: Type.Boolean({ description: 'Default: true.' }),
    plan: JsonObject,
    user_values: Type.Enum(['user', 'root']),
  }),
  { additionalProperties: false },
)
export type LayoutCreate = Static<typeof LayoutCreate>

export const IgnoreRule = Type.Object(
  {
    group: Type.Optional(
      Type.String({ maxLength: 253, description: 'Such as `apps`; empty: the core group. Absent: any.' }),
    ),
    kind: Type.String({ minLength: 1, maxLength: 63 }),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: '`*` stands for any text, such as `*-web`. Absent: every object of the kind.',
      }),
    ),
    paths: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      minItems: 1,
      maxItems: 20,
      description:
        'JSON pointers such as `/spec/replicas`. `*` is any one segment; an item of a list is `*`, its index in the manifest, or its key (`/spec/template/spec/containers/name=web/image`).',
    }),
  },
  {
    additionalProperties: false,
    description: 'Fields that are left to others: neither drift nor changed by upgrades.',
  },
)
export type IgnoreRule = Static<typeof IgnoreRule>

export const FINDING_CODES = [
  'NotRendered',
  'DependencyMissing',
  'DefaultsUnfit',
  'ObjectRefused',
  'RecordTooLarge',
  'RecordLarge',
  'KindMissing',
  'DomainNowhere',
  'IgnoredKindUnknown',
  'IgnoredPathUnset',
] as const

const objects = Type.Array(JsonObject, {
  description:
    'The object exactly as it may be, `{release}` in the place of the name of a release, which is that of its namespace.',
})

export const GrantName = Type.Object(
  {
    kind: Type.String({ minLength: 1, maxLength: 200 }),
    name: Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'As the inspection offers it: `{release}-reader`.',
    }),
  },
  { additionalProperties: false },
)
export type GrantName = Static<typeof GrantName>

export const GrantsCreate = Type.Object(
  { grants: Type.Array(GrantName, { minItems: 1, maxItems: 100 }) },
  { additionalProperties: false },
)
export type GrantsCreate = Static<typeof GrantsCreate>

export const GrantView = Type.Object(
  {
    id: Type.String(),
    group: Type.String(),
    kind: Type.String(),
    name: Type.String(),
    objects,
    granted_at: Timestamp,
    revoked_at: orNull(Type.String(), 'Null: it stands.'),
  },
  { description: 'An object of the whole cluster that releases of a template may have.' },
)
export type GrantView = Static<typeof GrantView>

export const GrantOfferView = Type.Object(
  {
    grantable: Type.Boolean(),
    because: orNull(Type.String(), 'Why it cannot be granted.'),
    kind: MaybeText,
    name: MaybeText,
    objects,
    risks: Type.Array(Type.String(), { description: 'What to think of before granting it.' }),
  },
  { description: 'Whether an admin can grant the object to the template, and what exactly that would allow.' },
)
export type GrantOfferView = Static<typeof GrantOfferView>

export const DefinitionsInstall = Type.Object(
  {
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Tell what would change, and change nothing. Default: false.' }),
    ),
  },
  { additionalProperties: false },
)
export type DefinitionsInstall = Static<typeof DefinitionsInstall>

export const DefinitionsView = Type.Object({
  definitions: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Such as `widgets.example.com`.' }),
      change: Type.Enum(['new', 'changed', 'same']),
      versions: Type.Array(Type.String()),
    }),
  ),
})
export type DefinitionsView = Static<typeof DefinitionsView>

export const FindingView = Type.Object({
  code: Type.Enum([...FINDING_CODES]),
  severity: Type.Enum(['problem', 'warning'], { description: 'A problem makes every order fail.' }),
  message: Type.String(),
  object: orNull(Type.String(), 'The object it is about, such as `ClusterRole/web`.'),
  field: Type.Optional(
    Type.String({ description: 'The field of the template it is about, such as `drift_ignore/0/kind`.' }),
  ),
  switched_off_by: Type.Array(Type.String(), {
    description: 'Values that make the object disappear, such as `rbac.create=false`. They were tried.',
  }),
  grant: orNull(GrantOfferView, 'Null: it is not about an object that could be granted.'),
})
export type FindingView = Static<typeof FindingView>

export const InspectionView = Type.Object(
  {
    findings: Type.Array(FindingView),
    objects: Type.Array(Type.String(), { description: 'What would be created, hooks included.' }),
    domain_at: Type.Array(Type.String(), {
      description: 'Where the ordered domain ends up, such as `Ingress/web spec.rules[0].host`.',
    }),
    record_bytes: orNull(Type.Integer(), 'What the record of a release takes, about. Null: it could not be rendered.'),
  },
  { description: 'What rendering the chart for a sample order told. The control plane is not touched.' },
)
export type InspectionView = Static<typeof InspectionView>

export const SignerView = Type.Object({
  fingerprint: Type.String({ description: 'Of the OpenPGP key.' }),
  identity: Type.String({ description: 'As the key calls its owner, such as `Ada Lovelace <ada@example.com>`.' }),
})
export type SignerView = Static<typeof SignerView>

export const TemplateView = Type.Object({
  id: Type.String(),
  product_id: Type.String(),
  package_type: Type.Enum(['helm-chart']),
  chart_ref: Type.String(),
  chart_version: Type.String(),
  chart_digest: MaybeText,
  version_label: MaybeText,
  default_values: Type.Unsafe<Record<string, unknown>>({
    ...JsonObject,
    description: 'Those of the chart with the overrides laid over them.',
  }),
  overrides: orNull(
    JsonObject,
    'What of the defaults is given to Helm. Null: published before they were kept apart; all is given.',
  ),
  values_schema: orNull(JsonObject),
  layout: LayoutView,
  capabilities: JsonObject,
  drift_ignore: Type.Array(IgnoreRule, { description: 'What may differ from the chart.' }),
  health_timeout_sec: Type.Integer(),
  inspection: orNull(InspectionView, 'For admins. Null: it was not tried when it was published.'),
  grants: Type.Array(GrantView, { description: 'For admins. Those that were revoked are kept.' }),
  signed_by: orNull(SignerView, 'Who had signed the chart when it was published. Null: it was not verified.'),
  created_at: Timestamp,
})
export type TemplateView = Static<typeof TemplateView>

const chartFields = {
  chart_ref: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: '`oci://…`, `https://…`, or a local path in development.',
  }),
  chart_version: Type.String({ minLength: 1, maxLength: 200 }),
}

const valuesFields = {
  default_values: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ ...JsonObject, description: 'Laid over those of the chart.' }),
  ),
  values_schema: Type.Optional(orNull(JsonObject, 'Absent: the one of the chart.')),
  layout: Type.Optional(LayoutCreate),
  drift_ignore: Type.Optional(Type.Array(IgnoreRule, { maxItems: 50 })),
}

export const ChartLocation = Type.Object({ ...chartFields, ...valuesFields }, { additionalProperties: false })
export type ChartLocation = Static<typeof ChartLocation>

export const ChartView = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    app_version: MaybeText,
    description: MaybeText,
    digest: Type.String(),
    signed_by: orNull(SignerView, 'Null: its source requires no signature.'),
    default_values: JsonObject,
    values_schema: orNull(JsonObject),
    form: TemplateFormView,
    problems: Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
      description: 'Why it could not be published as it is.',
    }),
    layout: LayoutView,
    inspection: orNull(
      InspectionView,
      'Null: there are problems, or no control plane is connected to ask for its kinds.',
    ),
  },
  { description: 'What a chart says about itself, and the form that users would see. Nothing is stored.' },
)
export type ChartView = Static<typeof ChartView>

export const TemplateCreate = Type.Object(
  {
    ...chartFields,
    chart_digest: Type.Optional(Type.String({ description: 'Absent: the one the chart has now is pinned.' })),
    version_label: Type.Optional(orNull(Type.String({ maxLength: 100 }))),
    ...valuesFields,
    capabilities: Type.Optional(JsonObject),
    health_timeout_sec: Type.Optional(Type.Integer({ minimum: 10, maximum: 7200 })),
    grants: Type.Optional(
      Type.Array(GrantName, { maxItems: 100, description: 'Of what the inspection offers. Default: nothing.' }),
    ),
    accept_problems: Type.Optional(
      Type.Boolean({ description: 'Publish it although every order would fail. Default: false.' }),
    ),
    canonical: Type.Optional(
      Type.Boolean({ description: 'Whether new deployments get it from now on. Default: false.' }),
    ),
  },
  { additionalProperties: false },
)
export type TemplateCreate = Static<typeof TemplateCreate>

export const ChartSourceView = Type.Object(
  {
    host: Type.String({ description: 'As in the address of a chart, such as `registry.example.com:5000`.' }),
    username: orNull(Type.String(), 'Null: requests are anonymous.'),
    ca: orNull(Type.String(), 'Certificate authorities in PEM. Null: the usual ones.'),
    verification: Type.Enum(['none', 'required'], { description: 'Whether its charts must be signed.' }),
    keyring: orNull(Type.String(), 'Public OpenPGP keys in ASCII armor. Null: those of the platform.'),
    keys: Type.Array(SignerView, { description: 'What is in the keyring.' }),
    updated_at: Timestamp,
  },
  { description: 'What charts of one host are fetched with. Its password is never shown.' },
)
export type ChartSourceView = Static<typeof ChartSourceView>

export const ChartSourcePut = Type.Object(
  {
    username: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: 500 }))),
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10_000, description: 'Absent: the one that is stored for this user.' }),
    ),
    ca: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: 100_000 }))),
    verification: Type.Optional(
      Type.Enum(['none', 'required'], {
        description: 'Whether its charts must be signed by a key of the keyring. Absent: as it was, or none.',
      }),
    ),
    keyring: Type.Optional(
      orNull(Type.String({ minLength: 1, maxLength: 1_000_000 }), 'Absent: as it was. Null: the keys of the platform.'),
    ),
  },
  { additionalProperties: false },
)
export type ChartSourcePut = Static<typeof ChartSourcePut>

export const CanonicalTemplate = Type.Object({ template_id: Type.String() }, { additionalProperties: false })
export type CanonicalTemplate = Static<typeof CanonicalTemplate>

export const DEPLOYMENT_STATUSES = [
  'pending',
  'provisioning',
  'ready',
  'upgrading',
  'degraded',
  'stalled',
  'deleting',
  'deleted',
  'error',
] as const
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number]

export const DeploymentView = Type.Object({
  id: Type.String(),
  deployment_uid: Type.String(),
  namespace_name: Type.String(),
  release_name: Type.String(),
  user_id: Type.String(),
  user_email: Type.String(),
  cluster_id: orNull(Type.String(), "The cluster that it is in. Null: the platform's own control plane."),
  cluster_name: orNull(Type.String(), 'Null: it is in no cluster, or the caller does not see that one.'),
  product: Type.Object({ id: Type.String(), name: Type.String(), icon: MaybeText }),
  domainname: Type.String(),
  user_values: Type.Unsafe<Record<string, unknown>>({ ...JsonObject, description: 'Without the write-only fields.' }),
  secrets_set: Type.Array(Type.String(), {
    description: 'Pointers of the write-only fields that have a value, such as `/admin/password`.',
  }),
  desired_template_id: Type.String(),
  applied_template_id: MaybeText,
  chart_version: Type.String({ description: 'Of the desired template.' }),
  upgrade_available: orNull(
    Type.Object({
      template_id: Type.String(),
      chart_version: Type.String(),
      version_label: MaybeText,
      published_at: Timestamp,
    }),
    'The canonical template of its product (without one, the last published), if it was published after the desired one. Admins move deployments to it.',
  ),
  status: Type.Enum([...DEPLOYMENT_STATUSES]),
  status_since: Type.String({ format: 'date-time', description: 'Since when it has this status.' }),
  generation: Type.Integer({ description: 'Bumped by every change of intent; the version for If-Match.' }),
  observed_generation: Type.Integer({ description: 'The generation that the world was last seen to match.' }),
  status_generation: Type.Integer({ description: 'The generation that status and last_error speak of.' }),
  suspended_at: MaybeTimestamp,
  healthy_by: orNull(
    Type.String({ format: 'date-time' }),
    'Until when the rollout has to be healthy; null: none is awaited.',
  ),
  failed_tries: Type.Integer({ description: 'How often what is wanted now was tried and failed.' }),
  unrepairable: Type.Array(Type.Object({ object: Type.String(), field: MaybeText, because: Type.String() }), {
    description: 'Fields that were changed by hand and cannot be changed back. They block nothing.',
  }),
  last_error: orNull(FailureView),
  last_reconcile_at: MaybeTimestamp,
  next_reconcile_at: MaybeTimestamp,
  created_at: Timestamp,
  deleted_at: MaybeTimestamp,
})
export type DeploymentView = Static<typeof DeploymentView>

export const DeploymentCreate = Type.Object(
  {
    template_id: Type.String(),
    cluster_id: Type.Optional(
      orNull(
        Type.String({ maxLength: 100 }),
        "The cluster to run it in, of an organization in which the user is an owner or a member. Null, or absent: the platform's own control plane. It never changes.",
      ),
    ),
    domainname: Type.String({ maxLength: 300 }),
    user_values: Type.Optional(JsonObject),
  },
  { additionalProperties: false },
)
export type DeploymentCreate = Static<typeof DeploymentCreate>

export const DeploymentPatch = Type.Object(
  {
    domainname: Type.Optional(Type.String({ maxLength: 300 })),
    user_values: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        ...JsonObject,
        description: 'Replaces what was written, but an absent write-only field is kept and a null one removed.',
      }),
    ),
    template_id: Type.Optional(Type.String({ description: 'Admins only, and of the same product.' })),
  },
  { additionalProperties: false },
)
export type DeploymentPatch = Static<typeof DeploymentPatch>

export const REVISION_OUTCOMES = ['pending', 'ready', 'failed', 'rolled_back', 'superseded'] as const

export const RevisionView = Type.Object(
  {
    generation: Type.Integer(),
    created_at: Timestamp,
    changed_by: Type.String({ description: 'An email, `an admin`, or `platform`.' }),
    template: Type.Object({
      id: Type.String(),
      chart_version: Type.String(),
      version_label: MaybeText,
      deleted: Type.Boolean({ description: 'Then nothing goes back to it.' }),
    }),
    domainname: Type.String(),
    changed: orNull(
      Type.Array(Type.String()),
      'Fields that differ from the generation before, such as `user_values.message`. Null: that one is not kept, or there was none.',
    ),
    rolled_back_to: orNull(Type.Integer(), 'The generation whose content a person asked for again with this one.'),
    outcome: Type.Enum([...REVISION_OUTCOMES], {
      description:
        'pending: on its way; ready: it was reached; failed; rolled_back: it failed, and the platform went back to what was healthy before; superseded: the next one came first.',
    }),
    failure_code: MaybeText,
    helm_revision: orNull(Type.Integer(), 'Of the release, as `helm history` counts. Null: there was none.'),
  },
  { description: 'What a deployment asked for in one generation, and what became of it.' },
)
export type RevisionView = Static<typeof RevisionView>

export const DeploymentRollback = Type.Object(
  {
    generation: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The one whose template and settings are asked for again.',
    }),
    with_domain: Type.Optional(
      Type.Boolean({ description: 'Also the domain that it had. Default: false, the present domain stays.' }),
    ),
  },
  { additionalProperties: false },
)
export type DeploymentRollback = Static<typeof DeploymentRollback>

export const ResourceEventView = Type.Object({
  at: Timestamp,
  type: Type.Enum(['Normal', 'Warning']),
  reason: Type.String(),
  message: Type.String(),
  count: Type.Integer(),
})
export type ResourceEventView = Static<typeof ResourceEventView>

export const ResourceView = Type.Object(
  {
    id: Type.String({ description: 'Kind and name: `Pod/web-7d9c`.' }),
    kind: Type.String(),
    name: Type.String(),
    parent: orNull(Type.String(), 'The id of its owner in this list.'),
    health: Type.Enum(['ready', 'progressing', 'failing', 'missing', 'unknown']),
    message: Type.String(),
    since: MaybeTimestamp,
    events: Type.Array(ResourceEventView),
  },
  { description: 'One object of the deployment as it is in the control plane.' },
)
export type ResourceView = Static<typeof ResourceView>

export const ResourcesView = Type.Object({ items: Type.Array(ResourceView) })
export type ResourcesView = Static<typeof ResourcesView>

export const NotesView = Type.Object(
  {
    revision: orNull(Type.Integer(), 'Of the release. Null: there is none.'),
    notes: orNull(Type.String(), 'Plain text, secrets masked. Null: the chart has none.'),
  },
  { description: 'What the chart says to whoever installed it (NOTES.txt).' },
)
export type NotesView = Static<typeof NotesView>

export const JOB_REASONS = ['drift', 'retry', 'update', 'create', 'delete'] as const
export const JOB_STATUSES = ['queued', 'running', 'done', 'failed'] as const

export const ReconcileJobView = Type.Object({
  id: Type.String(),
  deployment_id: Type.String(),
  deployment_uid: Type.String(),
  user_id: Type.String(),
  user_email: Type.String(),
  reason: Type.Enum([...JOB_REASONS]),
  status: Type.Enum([...JOB_STATUSES]),
  run_after: Timestamp,
  attempt: Type.Integer(),
  locked_by: MaybeText,
  locked_at: MaybeTimestamp,
  lease_until: MaybeTimestamp,
  last_error: orNull(FailureView),
  frozen: Type.Boolean({ description: 'Its tenant is frozen, so it is not claimed.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ReconcileJobView = Static<typeof ReconcileJobView>
