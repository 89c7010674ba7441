import {
  Deployment,
  HorizontalPodAutoscaler,
  Service,
  type CoreV1,
  type KubeObject,
  type MetaV1,
  type Resource,
} from '../../../kube/index.ts'
import type { ManagedKind } from '../types.ts'

/*
 * Kinds that other projects define, with the fields that we set or read. Their APIs may be missing from a control plane.
 */

interface ForeignCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** A service of Knative: one object that becomes revisions, routes and pods. */
export interface KnativeService extends KubeObject {
  readonly apiVersion: 'serving.knative.dev/v1'
  readonly kind: 'Service'
  readonly spec: {
    readonly template: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>
        readonly annotations?: Readonly<Record<string, string>>
      }
      readonly spec: CoreV1.PodSpec & {
        /** Requests that one pod takes at once; 0 is without limit. */
        readonly containerConcurrency?: number
      }
    }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly url?: string
    readonly address?: { readonly url?: string }
    readonly conditions?: readonly ForeignCondition[]
    readonly latestReadyRevisionName?: string
    readonly latestCreatedRevisionName?: string
  }
}
export const KnativeService: Resource<KnativeService> = {
  group: 'serving.knative.dev',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
}

interface Scrape {
  readonly port: string
  readonly path?: string
  readonly interval?: string
}

/** Tells the Prometheus operator which Services to scrape. */
export interface ServiceMonitor extends KubeObject {
  readonly apiVersion: 'monitoring.coreos.com/v1'
  readonly kind: 'ServiceMonitor'
  readonly spec: { readonly selector: MetaV1.LabelSelector; readonly endpoints: readonly Scrape[] }
}
export const ServiceMonitor: Resource<ServiceMonitor> = {
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: 'ServiceMonitor',
  plural: 'servicemonitors',
  namespaced: true,
}

/** Tells the Prometheus operator which pods to scrape. */
export interface PodMonitor extends KubeObject {
  readonly apiVersion: 'monitoring.coreos.com/v1'
  readonly kind: 'PodMonitor'
  readonly spec: { readonly selector: MetaV1.LabelSelector; readonly podMetricsEndpoints: readonly Scrape[] }
}
export const PodMonitor: Resource<PodMonitor> = {
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: 'PodMonitor',
  plural: 'podmonitors',
  namespaced: true,
}

/** In the order of `MANAGED_KINDS`. */
export const RESOURCES = {
  Deployment,
  Service,
  KnativeService,
  HorizontalPodAutoscaler,
  ServiceMonitor,
  PodMonitor,
} as const satisfies Record<ManagedKind, Resource>

/** The resource of a managed kind. A service of Knative is a `Service` too, hence the name of our own. */
export const resourceOf = (kind: ManagedKind): Resource => RESOURCES[kind]
