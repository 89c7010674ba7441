import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { CanonicalTemplate, PageQuery, pageOf, ProductCreate, ProductPatch, ProductView } from '../../contract/index.ts'
import type { AppsParts } from './parts.ts'
import { productView } from './views.ts'
import { pageRequest } from '../../http/paging.ts'
import { generationIn } from '../../http/preconditions.ts'
import { Id, actorOf, pageView, tagged } from '../parts.ts'

const tags = ['apps']
const params = Type.Object({ id: Id })

export function productRoutes(app: App, { apps }: AppsParts): void {
  app.get(
    '/products',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listProducts',
        tags,
        summary: 'What can be ordered, by name',
        querystring: PageQuery,
        response: { 200: pageOf(ProductView) },
      },
    },
    async (request) => pageView(await apps.listProducts(actorOf(request), pageRequest(request.query, 2)), productView),
  )

  app.post(
    '/products',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'createProduct',
        tags,
        summary: 'Make a product, to be given templates',
        body: ProductCreate,
        response: { 201: ProductView },
      },
    },
    async (request, reply) =>
      reply.code(201).send(tagged(reply, productView(await apps.createProduct(actorOf(request), request.body)))),
  )

  app.get(
    '/products/:id',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getProduct',
        tags,
        summary: 'One product',
        params,
        response: { 200: ProductView },
      },
    },
    async (request, reply) => tagged(reply, productView(await apps.getProduct(actorOf(request), request.params.id))),
  )

  app.patch(
    '/products/:id',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'updateProduct',
        tags,
        summary: 'Change how a product is called and described',
        params,
        body: ProductPatch,
        response: { 200: ProductView },
      },
    },
    async (request, reply) => {
      const precondition = { ifGeneration: generationIn(request) }
      const { params: at, body } = request
      return tagged(reply, productView(await apps.updateProduct(actorOf(request), at.id, body, precondition)))
    },
  )

  app.delete(
    '/products/:id',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'deleteProduct',
        tags,
        summary: 'Have it ordered no longer; what was ordered lives on',
        params,
        response: { 204: Type.Null({ description: 'Done.' }) },
      },
    },
    async (request, reply) => {
      await apps.deleteProduct(actorOf(request), request.params.id, { ifGeneration: generationIn(request) })
      return reply.code(204).send(null)
    },
  )

  app.put(
    '/products/:id/template',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'setCanonicalTemplate',
        tags,
        summary: 'Say which template new deployments get',
        params,
        body: CanonicalTemplate,
        response: { 200: ProductView },
      },
    },
    async (request, reply) => {
      const { template_id: templateId } = request.body
      const precondition = { ifGeneration: generationIn(request) }
      const product = await apps.setCanonicalTemplate(actorOf(request), request.params.id, templateId, precondition)
      return tagged(reply, productView(product))
    },
  )
}
