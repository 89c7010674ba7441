import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { NodePoolCreate, NodePoolOfClusterView, NodePoolPatch, pageOf } from '../../contract/index.ts'
import { etagOf, generationIn } from '../../http/preconditions.ts'
import { actorOf, tagged } from '../parts.ts'
import { poolChangeIn, poolIn } from './bodies.ts'
import { one, onePool, tags, type ClustersParts } from './parts.ts'
import { poolOfClusterView } from './views.ts'

/** If-Match and ETag are about the cluster: node pools have no version of their own. */
export function nodePoolRoutes(app: App, { clusters }: ClustersParts): void {
  app.get(
    '/organizations/:id/clusters/:cluster_id/node-pools',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listNodePools',
        tags,
        summary: 'The node pools of a cluster, oldest first; all on one page',
        params: one,
        response: { 200: pageOf(NodePoolOfClusterView) },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      const { nodePools, sync } = await clusters.getCluster(actorOf(request), id, cluster_id)
      const { generation } = sync
      void reply.header('etag', etagOf(generation))
      return { items: nodePools.map((pool) => poolOfClusterView({ ...pool, generation })), next_cursor: null }
    },
  )

  app.post(
    '/organizations/:id/clusters/:cluster_id/node-pools',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'createNodePool',
        tags,
        summary: 'Add a node pool to a cluster',
        params: one,
        body: NodePoolCreate,
        response: { 201: NodePoolOfClusterView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id } = request.params
      const precondition = { ifGeneration: generationIn(request) }
      const pool = await clusters.addNodePool(actorOf(request), id, cluster_id, poolIn(request.body), precondition)
      return reply.code(201).send(tagged(reply, poolOfClusterView(pool)))
    },
  )

  app.patch(
    '/organizations/:id/clusters/:cluster_id/node-pools/:pool_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'updateNodePool',
        tags,
        summary: 'Change the machines or the size of a node pool',
        params: onePool,
        body: NodePoolPatch,
        response: { 200: NodePoolOfClusterView },
      },
    },
    async (request, reply) => {
      const { id, cluster_id, pool_id } = request.params
      const precondition = { ifGeneration: generationIn(request) }
      const change = poolChangeIn(request.body)
      const pool = await clusters.updateNodePool(actorOf(request), id, cluster_id, pool_id, change, precondition)
      return tagged(reply, poolOfClusterView(pool))
    },
  )

  app.delete(
    '/organizations/:id/clusters/:cluster_id/node-pools/:pool_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'deleteNodePool',
        tags,
        summary: 'Remove a node pool with its nodes; the last one cannot be removed',
        params: onePool,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    async (request, reply) => {
      const { id, cluster_id, pool_id } = request.params
      const precondition = { ifGeneration: generationIn(request) }
      tagged(reply, await clusters.removeNodePool(actorOf(request), id, cluster_id, pool_id, precondition))
      return reply.code(204).send(null)
    },
  )
}
