import { Type } from 'typebox'
import type { App } from '../../app.ts'
import {
  ClusterCreate,
  ClusterPatch,
  ClusterPreviewView,
  ClusterVersionsView,
  ExplanationView,
  KubeconfigCreate,
  KubeconfigView,
  LandscapeView,
  TimelineView,
} from '../../contract/index.ts'
import { actorOf, explanationView, Id, timelineView, timeView, whileConnected } from '../parts.ts'
import { changeIn, inputIn } from './bodies.ts'
import { ofOrganization, one, tags, type ClustersParts } from './parts.ts'
import { landscapeView, previewView, versionsView } from './views.ts'

const DEFAULT_KUBECONFIG_SECONDS = 3_600

/** What needs Gardener besides the database. */
export function clusterInsightRoutes(app: App, { insight }: ClustersParts): void {
  app.post(
    '/organizations/:id/clusters::preview',
    {
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'previewCreateCluster',
        tags,
        summary: 'Whether ordering this would be accepted, by Caelus and by Gardener; nothing is saved',
        params: ofOrganization,
        body: ClusterCreate,
        response: { 200: ClusterPreviewView },
      },
    },
    async (request, reply) => {
      const input = inputIn(request.body)
      return previewView(await insight.previewCreate(actorOf(request), request.params.id, input, whileConnected(reply)))
    },
  )

  app.post(
    '/organizations/:id/clusters/:cluster_id([^:]+)::preview',
    {
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'previewUpdateCluster',
        tags,
        summary: 'What saving this would change in the Shoot and in its node pools; nothing is saved',
        params: one,
        body: ClusterPatch,
        response: { 200: ClusterPreviewView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      const change = changeIn(request.body)
      return previewView(await insight.previewChange(actorOf(request), id, cluster_id, change, whileConnected(reply)))
    },
  )

  app.get(
    '/organizations/:id/clusters/:cluster_id/explain',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'explainCluster',
        tags,
        summary: 'Why it is as it is, what happens next and when, and whose move it is',
        params: one,
        response: { 200: ExplanationView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      return explanationView(await insight.explain(actorOf(request), id, cluster_id, whileConnected(reply)))
    },
  )

  app.get(
    '/organizations/:id/clusters/:cluster_id/timeline',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'timelineOfCluster',
        tags,
        summary: 'Its audit log, decisions and events, newest first',
        params: one,
        querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }),
        response: { 200: TimelineView },
      },
    },
    async (request) => {
      const { id, cluster_id } = request.params
      const entries = await insight.timeline(actorOf(request), id, cluster_id, request.query.limit)
      return { items: entries.map(timelineView) }
    },
  )

  app.get(
    '/organizations/:id/clusters/:cluster_id/versions',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'versionsOfCluster',
        tags,
        summary: 'The versions of Kubernetes that Gardener would accept for it, with what each would change',
        params: one,
        response: { 200: ClusterVersionsView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      return versionsView(await insight.versions(actorOf(request), id, cluster_id, whileConnected(reply)))
    },
  )

  app.post(
    '/organizations/:id/clusters/:cluster_id/kubeconfig',
    {
      // The answer must not be kept.
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'createKubeconfig',
        tags,
        summary: 'A kubeconfig of an administrator that ends soon; for owners and members, and in the audit',
        params: one,
        body: KubeconfigCreate,
        response: { 200: KubeconfigView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      const { expires_in_seconds: seconds = DEFAULT_KUBECONFIG_SECONDS } = request.body
      const signal = whileConnected(reply)
      const { kubeconfig, expiresAt } = await insight.kubeconfig(actorOf(request), id, cluster_id, seconds, signal)
      return { kubeconfig, expires_at: timeView(expiresAt) }
    },
  )

  app.get(
    '/regions',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listRegions',
        tags,
        summary: 'What can be ordered: regions, versions of Kubernetes and machine types',
        querystring: Type.Object({ organization_id: Type.Optional(Id) }),
        response: { 200: LandscapeView },
      },
    },
    async (request, reply) =>
      landscapeView(await insight.landscape(actorOf(request), request.query.organization_id, whileConnected(reply))),
  )
}
