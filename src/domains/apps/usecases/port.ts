import type { TimelineEntry } from '../../../kernel/index.ts'
import type { DefinitionChange } from '../definitions/install.ts'
import type { TemplateForm } from '../schema/form.ts'
import type { Chart, ChartLocation } from '../helm/port.ts'
import type { IgnoreRule } from '../drift/ignore-rules.ts'
import type { JsonObject, Json } from '../values/json.ts'
import type { UserValuesAt } from '../values/layout.ts'
import type { Actor, Listed, PageOptions, Precondition } from '../../../store/index.ts'
import type {
  DeploymentFilter,
  DeploymentRef,
  DomainFilter,
  Intent,
  JobFilter,
  ListedDeployment,
  ListedJob,
  ListedRevision,
} from '../store/index.ts'
import type {
  ChartSource,
  Deployment,
  FieldProblem,
  JobReason,
  OwnedDomain,
  Product,
  Template,
  Verification,
} from '../types.ts'

/*
 * The use cases of apps: everything that people and programs can do with them. REST and CLI parse, call and print.
 *
 * Whatever an actor may not see does not exist for them: `NotFound`. What they see and may not do is `NotAllowed` or a
 * failure of `failures.ts`. All wrong fields are reported together, by `RefusedFields`.
 */

export interface ProductInput {
  readonly name: string
  readonly description?: string | null | undefined
  readonly icon?: string | null | undefined
}

export interface TemplateInput {
  readonly productId: string
  readonly chartRef: string
  readonly chartVersion: string
  /** Absent: the digest that the chart has now is pinned. */
  readonly chartDigest?: string | null | undefined
  readonly versionLabel?: string | null | undefined
  /** Laid over the chart's own defaults; what repeats them is left out. */
  readonly defaultValues?: JsonObject | undefined
  /** Absent: the chart's own. `null`: it takes no settings. */
  readonly valuesSchema?: JsonObject | null | undefined
  readonly layout?: LayoutInput | undefined
  readonly capabilities?: JsonObject | undefined
  readonly driftIgnore?: readonly IgnoreRule[] | undefined
  /** @default 600 */
  readonly healthTimeoutSec?: number | undefined
  /** Objects of the whole cluster that its releases may have, of those that trying the chart offers. @default none */
  readonly grants?: readonly GrantName[] | undefined
  /** Publish it although every order would fail. @default false */
  readonly acceptProblems?: boolean | undefined
  /** New deployments get it from now on. @default false */
  readonly canonical?: boolean | undefined
}

/** As the inspection offers it; the name has `{release}` in it. */
export interface GrantName {
  readonly kind: string
  readonly name: string
}

/** `productId`: as the path has it. */
export interface TemplateRef {
  readonly id: string
  readonly productId?: string | undefined
}

/** What is left out is as usual. Paths are written `nextcloud.host`, `ingress.hosts[0].host` or as JSON pointers. */
export interface LayoutInput {
  readonly domainPaths?: readonly string[] | undefined
  readonly ingressClassPaths?: readonly string[] | undefined
  readonly caelusValues?: boolean | undefined
  readonly plan?: JsonObject | undefined
  readonly userValues?: UserValuesAt | undefined
}

/** What a template could be published with, and what to try. */
export interface ChartTrialInput extends ChartLocation {
  readonly defaultValues?: JsonObject | undefined
  readonly valuesSchema?: JsonObject | null | undefined
  readonly layout?: LayoutInput | undefined
  readonly driftIgnore?: readonly IgnoreRule[] | undefined
}

/** What a template of a chart would be made of, and why it could not be published. */
export interface ChartReport {
  readonly chart: Chart
  readonly template: TriedTemplate
  readonly form: TemplateForm
  readonly problems: readonly FieldProblem[]
}

export type TriedTemplate = Pick<
  Template,
  'defaultValues' | 'overrides' | 'valuesSchema' | 'layout' | 'driftIgnore' | 'inspection'
>

export interface ChartSourceInput {
  readonly username?: string | null | undefined
  /** Absent: the one that is stored for this user. */
  readonly password?: string | undefined
  readonly ca?: string | null | undefined
  /** Absent: as it was, or none. */
  readonly verification?: Verification | undefined
  /** Absent: as it was. `null`: that of the platform. */
  readonly keyring?: string | null | undefined
}

export interface DeploymentInput {
  /** Whose it is. Admins may order for others. */
  readonly userId: string
  readonly templateId: string
  /** A cluster of an organization in which its user is more than a viewer. @default the platform's own control plane */
  readonly clusterId?: string | null | undefined
  readonly domainname: string
  readonly userValues?: JsonObject | undefined
}

export interface DeploymentChange {
  readonly domainname?: string | undefined
  /** Replaces what was written; see `keepSecrets` for write-only fields. */
  readonly userValues?: JsonObject | undefined
  /** Admins only. */
  readonly templateId?: string | undefined
}

/** What a generation asked for, told without values. */
export interface RevisionEntry extends Omit<ListedRevision, keyof Intent | 'before' | 'changedBy'> {
  readonly domainname: string
  /** An email, `an admin` or `platform`. */
  readonly changedBy: string
  /**
   * The fields that differ from the generation before, such as `user_values.message`. `null`: that one is not kept, or there
   * was none.
   */
  readonly changed: readonly string[] | null
}

/** What is asked for again of an earlier generation. */
export interface Rollback {
  readonly generation: number
  /** With the domain that it had. @default the present one stays */
  readonly withDomain?: boolean | undefined
}

/** One state of a deployment with everything that rendering needs. Its values hold secrets. */
export interface Rendering {
  readonly deployment: Deployment
  readonly template: Template
  /** With the defaults of the chart, for comparing. */
  readonly values: JsonObject
  /** The part of `values` that the reader may see; secrets in it are still to be masked. */
  readonly shown: JsonObject
  /** For Helm. */
  readonly given: JsonObject
}

export interface PreviewInputs {
  /** Absent: it would be created. */
  readonly before?: Rendering
  readonly after: Rendering
  /** Everything in either that must be masked before it is shown. */
  readonly secrets: readonly Json[]
}

/** What it takes to show the release of a deployment without its secrets. */
export interface ReleaseInputs {
  readonly reader: Pick<Actor, 'admin'>
  readonly deployment: Deployment
  /** Those that the release may be of: the desired one, and the one that was applied last. */
  readonly templates: readonly Template[]
  /** Pointers of everything write-only that the tenant wrote in the generations that are kept. */
  readonly sealed: readonly string[]
  /** The values behind them, as far as a key opens them. */
  readonly secrets: readonly Json[]
}

/** How many deployments a user has and may have. */
export interface DeploymentLimit {
  /** Null: as many as they like. */
  readonly most: number | null
  /** An admin set it for this user; otherwise it is that of the configuration. */
  readonly isOwn: boolean
  readonly deployments: number
}

export interface Rotation {
  /** Deployments whose values are sealed with the current key now and were not before. */
  readonly resealed: number
  /** Ids of those that no key of the ring opens; they stay as they are. */
  readonly unreadable: readonly string[]
}

export interface Apps {
  /** By name. */
  listProducts(actor: Actor, page: PageOptions): Promise<Listed<Product>>
  getProduct(actor: Actor, id: string): Promise<Product>
  createProduct(actor: Actor, input: ProductInput): Promise<Product>
  updateProduct(actor: Actor, id: string, input: Partial<ProductInput>, precondition?: Precondition): Promise<Product>
  /** It can be ordered no longer; what was ordered lives on. */
  deleteProduct(actor: Actor, id: string, precondition?: Precondition): Promise<void>
  setCanonicalTemplate(
    actor: Actor,
    productId: string,
    templateId: string,
    precondition?: Precondition,
  ): Promise<Product>

  /** Newest first. */
  listTemplates(actor: Actor, productId: string, page: PageOptions): Promise<Listed<Template>>
  /** `productId`: as the path has it. */
  getTemplate(actor: Actor, id: string, productId?: string): Promise<Template>
  inspectChart(actor: Actor, input: ChartTrialInput, signal?: AbortSignal): Promise<ChartReport>
  publishTemplate(actor: Actor, input: TemplateInput, signal?: AbortSignal): Promise<Template>
  /** Its releases may have these objects from now on, exactly as the inspection shows them. Harmless twice. */
  grantTemplate(actor: Actor, ref: TemplateRef, names: readonly GrantName[]): Promise<Template>
  /** Its releases may no longer have the object: what they have of it stays, and their next change is refused. */
  revokeTemplateGrant(actor: Actor, ref: TemplateRef, grantId: string): Promise<Template>
  /** Applies what its chart has in `crds/`: all of it or nothing. Harmless twice. */
  installTemplateDefinitions(
    actor: Actor,
    ref: TemplateRef,
    options: { readonly dryRun: boolean },
    signal?: AbortSignal,
  ): Promise<readonly DefinitionChange[]>
  /** It can be ordered no longer; what was ordered lives on. Refused while it is canonical. */
  deleteTemplate(actor: Actor, id: string, productId?: string): Promise<void>

  /** By host. Passwords are never shown. */
  listChartSources(actor: Actor, page: PageOptions): Promise<Listed<ChartSource>>
  /** Used from now on for charts of this host, and for no other. */
  setChartSource(actor: Actor, host: string, input: ChartSourceInput): Promise<ChartSource>
  deleteChartSource(actor: Actor, host: string): Promise<void>

  /** Newest first. A tenant's own; those of all users for an admin. */
  listDeployments(actor: Actor, filter: DeploymentFilter): Promise<Listed<ListedDeployment>>
  /** Also after it was deleted. */
  getDeployment(actor: Actor, ref: DeploymentRef): Promise<ListedDeployment>
  createDeployment(actor: Actor, input: DeploymentInput): Promise<ListedDeployment>
  /** Answers with the unchanged row when there was nothing to change. */
  updateDeployment(
    actor: Actor,
    ref: DeploymentRef,
    change: DeploymentChange,
    precondition?: Precondition,
  ): Promise<ListedDeployment>
  /** Supersedes whatever is under way. Harmless twice. */
  deleteDeployment(actor: Actor, ref: DeploymentRef, precondition?: Precondition): Promise<ListedDeployment>

  /** Tries what failed anew, however often it was tried before. */
  retryDeployment(actor: Actor, ref: DeploymentRef): Promise<ListedDeployment>
  /** It is left as it is: changes are saved and not applied, drift is not repaired. Harmless twice. */
  suspendDeployment(actor: Actor, ref: DeploymentRef): Promise<ListedDeployment>
  /** Applies what was changed meanwhile. Harmless twice. */
  resumeDeployment(actor: Actor, ref: DeploymentRef): Promise<ListedDeployment>

  /** What `createDeployment` would make, or the same refusal. Saves nothing. */
  previewCreate(actor: Actor, input: DeploymentInput): Promise<PreviewInputs>
  /** What `updateDeployment` would make, or the same refusal. Saves nothing. */
  previewUpdate(actor: Actor, ref: DeploymentRef, change: DeploymentChange): Promise<PreviewInputs>
  /** For reading its release. */
  releaseInputs(actor: Actor, ref: DeploymentRef): Promise<ReleaseInputs>
  /** What it asked for in each of its last generations, newest first. */
  listRevisions(actor: Actor, ref: DeploymentRef, page: PageOptions): Promise<Listed<RevisionEntry>>
  /**
   * Asks for what an earlier generation asked for, as a new one. Members may go back within the template that they have;
   * otherwise the rules for changes of the template hold. Answers with the unchanged row when there is no difference.
   */
  rollbackDeployment(
    actor: Actor,
    ref: DeploymentRef,
    to: Rollback,
    precondition?: Precondition,
  ): Promise<ListedDeployment>
  /** What `rollbackDeployment` would make, or the same refusal. Saves nothing. */
  previewRollback(actor: Actor, ref: DeploymentRef, to: Rollback): Promise<PreviewInputs>
  /** Newest first, without anything secret. */
  timeline(actor: Actor, ref: DeploymentRef, limit?: number): Promise<readonly TimelineEntry[]>

  /** Has it looked at now, or as soon as the present run ends. Answers with the open job. */
  enqueueReconcile(actor: Actor, ref: DeploymentRef, reason: JobReason): Promise<ListedJob>
  /** Newest first. */
  listJobs(actor: Actor, filter: JobFilter): Promise<Listed<ListedJob>>
  getJob(actor: Actor, id: string): Promise<ListedJob>
  /** Runs it now, with its attempts forgiven. Refused when it is done. */
  requeueJob(actor: Actor, id: string): Promise<ListedJob>
  /** Gives it up by hand: a worker that runs it loses its lease. Refused when it is done. */
  failJob(actor: Actor, id: string, error: string): Promise<ListedJob>
  /** Nothing of theirs is claimed until unfrozen; what runs is not disturbed. */
  freezeTenant(actor: Actor, userId: string, why: string): Promise<void>
  unfreezeTenant(actor: Actor, userId: string): Promise<void>
  getDeploymentLimit(actor: Actor, userId: string): Promise<DeploymentLimit>
  /** `null`: that of the configuration. What a user has beyond a lower limit is kept. */
  setDeploymentLimit(actor: Actor, userId: string, most: number | null): Promise<DeploymentLimit>

  /** By name: the caller's own; those of all users for an admin. */
  listDomains(actor: Actor, filter: DomainFilter): Promise<Listed<OwnedDomain>>
  /** From now on only this user may order the domain and those below it. What others have there is kept. */
  createDomain(actor: Actor, suffix: string, userId: string): Promise<OwnedDomain>
  deleteDomain(actor: Actor, suffix: string): Promise<void>

  /** Wakes every deployment that should exist, in pages. Answers how many. */
  scanDrift(actor: Actor, pageSize?: number): Promise<number>
  /** Seals all write-only values with the current key, in batches. Interrupted, it goes on where it was. */
  rotateValuesKey(actor: Actor, batchSize?: number): Promise<Rotation>
}
