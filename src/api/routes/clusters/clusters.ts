import { Type, type Static } from 'typebox'
import type { App } from '../../app.ts'
import {
  CLUSTER_STATUSES,
  ClusterAppView,
  ClusterCreate,
  ClusterEventView,
  ClusterOperate,
  ClusterPatch,
  ClusterView,
  PageQuery,
  pageOf,
} from '../../contract/index.ts'
import { pageRequest } from '../../http/paging.ts'
import { generationIn } from '../../http/preconditions.ts'
import { actorOf, Id, pageView, tagged } from '../parts.ts'
import { changeIn, inputIn } from './bodies.ts'
import { ofOrganization, one, tags, type ClustersParts } from './parts.ts'
import { appView, clusterView, eventView } from './views.ts'

const Filter = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(
    Type.Enum([...CLUSTER_STATUSES], {
      description: 'Those of which nothing is left are listed with `deleted` alone.',
    }),
  ),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Exactly this name.' })),
})

const Deletion = Type.Object({
  with_apps: Type.Optional(
    Type.Boolean({
      description:
        'Whether the apps in it are deleted first, those of all members of the organization. Without it a cluster with apps is not deleted.',
    }),
  ),
})

const filterIn = (query: Static<typeof Filter>) => ({
  ...pageRequest(query, 2),
  status: query.status,
  name: query.name,
})

export function clusterRoutes(app: App, { clusters }: ClustersParts): void {
  app.get(
    '/clusters',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listAllClusters',
        tags,
        summary: 'The clusters of all organizations of the caller, newest first; all for an admin',
        querystring: Type.Object({ ...Filter.properties, organization_id: Type.Optional(Id) }),
        response: { 200: pageOf(ClusterView) },
      },
    },
    async (request) => {
      const filter = { ...filterIn(request.query), organizationId: request.query.organization_id }
      return pageView(await clusters.listClusters(actorOf(request), filter), clusterView)
    },
  )

  app.get(
    '/clusters/:cluster_id',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'findCluster',
        tags,
        summary: 'One cluster by id, of any organization of the caller',
        params: Type.Object({ cluster_id: Id }),
        response: { 200: ClusterView },
      },
    },
    async (request, reply) =>
      tagged(reply, clusterView(await clusters.findCluster(actorOf(request), request.params.cluster_id))),
  )

  app.get(
    '/organizations/:id/clusters',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listClusters',
        tags,
        summary: 'The clusters of an organization, newest first',
        params: ofOrganization,
        querystring: Filter,
        response: { 200: pageOf(ClusterView) },
      },
    },
    async (request) => {
      const filter = { ...filterIn(request.query), organizationId: request.params.id }
      return pageView(await clusters.listClusters(actorOf(request), filter), clusterView)
    },
  )

  app.post(
    '/organizations/:id/clusters',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'createCluster',
        tags,
        summary: 'Order a cluster; for owners and members of the organization',
        params: ofOrganization,
        body: ClusterCreate,
        response: { 201: ClusterView },
      },
    },
    async (request, reply) => {
      const made = await clusters.createCluster(actorOf(request), request.params.id, inputIn(request.body))
      return reply.code(201).send(tagged(reply, clusterView(made)))
    },
  )

  app.get(
    '/organizations/:id/clusters/:cluster_id',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getCluster',
        tags,
        summary: 'One cluster, also after it was deleted',
        params: one,
        response: { 200: ClusterView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      return tagged(reply, clusterView(await clusters.getCluster(actorOf(request), id, cluster_id)))
    },
  )

  app.patch(
    '/organizations/:id/clusters/:cluster_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'updateCluster',
        tags,
        summary:
          'Change a cluster: upgrade it, hibernate it or wake it up, set its maintenance or all of its node pools',
        params: one,
        body: ClusterPatch,
        response: { 200: ClusterView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      const precondition = { ifGeneration: generationIn(request) }
      const change = changeIn(request.body)
      const changed = await clusters.updateCluster(actorOf(request), id, cluster_id, change, precondition)
      return tagged(reply, clusterView(changed))
    },
  )

  app.delete(
    '/organizations/:id/clusters/:cluster_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'deleteCluster',
        tags,
        summary: 'Delete a cluster with everything in it; its row stays and tells what is left',
        params: one,
        querystring: Deletion,
        response: { 202: ClusterView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      const options = { ifGeneration: generationIn(request), withApps: request.query.with_apps }
      const gone = await clusters.deleteCluster(actorOf(request), id, cluster_id, options)
      return reply.code(202).send(tagged(reply, clusterView(gone)))
    },
  )

  app.post(
    '/organizations/:id/clusters/:cluster_id([^:]+)::operate',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'operateCluster',
        tags,
        summary: 'Ask Gardener to do something once: retry, reconcile, or a step of the rotation of credentials',
        params: one,
        body: ClusterOperate,
        response: { 200: ClusterView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      const asked = await clusters.operateCluster(actorOf(request), id, cluster_id, request.body.operation)
      return tagged(reply, clusterView(asked))
    },
  )

  app.post(
    '/organizations/:id/clusters/:cluster_id([^:]+)::sync',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'syncCluster',
        tags,
        summary: 'Have a worker compare it with its Shoot now, whatever it waited for',
        params: one,
        response: { 202: ClusterView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      const woken = await clusters.syncCluster(actorOf(request), id, cluster_id)
      return reply.code(202).send(tagged(reply, clusterView(woken)))
    },
  )

  app.get(
    '/organizations/:id/clusters/:cluster_id/events',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listClusterEvents',
        tags,
        summary: 'What happened to a cluster, newest first',
        params: one,
        querystring: PageQuery,
        response: { 200: pageOf(ClusterEventView) },
      },
    },
    async (request) => {
      const { id, cluster_id } = request.params
      const page = pageRequest(request.query, 1)
      return pageView(await clusters.listEvents(actorOf(request), id, cluster_id, page), eventView)
    },
  )

  app.get(
    '/organizations/:id/clusters/:cluster_id/apps',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listClusterApps',
        tags,
        summary: 'The apps in a cluster, newest first, those of all members of the organization',
        params: one,
        querystring: PageQuery,
        response: { 200: pageOf(ClusterAppView) },
      },
    },
    async (request) => {
      const { id, cluster_id } = request.params
      const page = pageRequest(request.query, 2)
      return pageView(await clusters.listApps(actorOf(request), id, cluster_id, page), appView)
    },
  )
}
