import { MutatingWebhookConfiguration, type Client } from '../../src/kube/index.ts'

export interface DeadWebhook {
  /** Of the namespaces that it is about. */
  readonly label: { readonly name: string; readonly value: string }
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[]
  /** Plural names in the core group. */
  readonly resources: readonly string[]
  /** A CEL expression that narrows it further. */
  readonly when?: string
}

/** A webhook whose service does not exist, and without whose word nothing passes. */
export async function deadWebhook(
  client: Client,
  { label, operations, resources, when }: DeadWebhook,
): Promise<AsyncDisposable & { readonly name: string }> {
  const name = `dead-${label.value}.example.com`
  await client.create(MutatingWebhookConfiguration, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name,
        clientConfig: { service: { namespace: 'default', name: 'nobody-answers' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: [...operations], resources: [...resources] }],
        namespaceSelector: { matchLabels: { [label.name]: label.value } },
        ...(when !== undefined && { matchConditions: [{ name: 'when', expression: when }] }),
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 2,
        failurePolicy: 'Fail',
      },
    ],
  })
  return {
    name,
    [Symbol.asyncDispose]: async () => void (await client.delete(MutatingWebhookConfiguration, { name })),
  }
}
