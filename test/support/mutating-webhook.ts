import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import {
  MutatingWebhookConfiguration,
  type AppsV1,
  type Client,
  type JsonPatchOperation,
} from '../../src/kube/index.ts'
import { createAuthority } from '../../tools/control-plane/certificate.ts'

interface Review {
  readonly request: { readonly uid: string; readonly object: AppsV1.Deployment }
}

export const SIDECAR = { name: 'sidecar', image: 'registry.invalid/sidecar:1' }
export const MIRROR = 'mirror.example.com/'

/** What service meshes and registry mirrors do: one more container, an annotation, and another image. */
function mutationOf({ metadata, spec }: AppsV1.Deployment): JsonPatchOperation[] {
  const containers = spec?.template?.spec?.containers ?? []
  const base = '/spec/template/spec/containers'
  const mirrored = containers.flatMap(({ name, image = '' }, index): JsonPatchOperation[] =>
    name === SIDECAR.name || image.startsWith(MIRROR)
      ? []
      : [{ op: 'replace', path: `${base}/${index}/image`, value: `${MIRROR}${image}` }],
  )
  const isInjected = containers.some(({ name }) => name === SIDECAR.name)
  return [
    ...mirrored,
    ...(isInjected ? [] : [{ op: 'add' as const, path: `${base}/-`, value: SIDECAR }]),
    ...(metadata.annotations === undefined ? [{ op: 'add' as const, path: '/metadata/annotations', value: {} }] : []),
    { op: 'add', path: '/metadata/annotations/mesh.example.com~1injected', value: 'true' },
  ]
}

export interface MutatingWebhook extends AsyncDisposable {
  /** How often it was asked, in dry runs too. */
  readonly asked: number
}

/** Mutates every Deployment in namespaces with the label, from a server on loopback. */
export async function mutatingWebhook(
  client: Client,
  label: { readonly name: string; readonly value: string },
): Promise<MutatingWebhook> {
  const authority = createAuthority('webhooks', new Date())
  const { cert, key } = authority.issue({ commonName: 'webhook', usage: ['server'], names: ['127.0.0.1'] })
  let asked = 0
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked++
    const { uid, object } = ((await json(request)) as Review).request
    const patch = Buffer.from(JSON.stringify(mutationOf(object))).toString('base64')
    const verdict = { uid, allowed: true, patchType: 'JSONPatch', patch }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: verdict }))
  }
  const server = createServer({ cert, key }, (request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const name = `test-${label.value}.example.com`
  await client.create(MutatingWebhookConfiguration, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name,
        clientConfig: {
          url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
          caBundle: Buffer.from(authority.certified.cert).toString('base64'),
        },
        rules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
        ],
        namespaceSelector: { matchLabels: { [label.name]: label.value } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 30,
        failurePolicy: 'Fail',
      },
    ],
  })
  return {
    get asked() {
      return asked
    },
    async [Symbol.asyncDispose]() {
      await client.delete(MutatingWebhookConfiguration, { name })
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
