import { CredentialsBindings, type CredentialsBinding } from '../../src/domains/clusters/gardener/resources.ts'
import { Secret, type Client, type CoreV1, type Draft } from '../../src/kube/index.ts'
import { LOCAL } from './landscape.ts'

const secret = (namespace: string): Draft<Secret> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: LOCAL },
  type: 'Opaque',
  data: { kubeconfig: Buffer.from('{}').toString('base64') },
})

export interface BindingOptions {
  /** @default local */
  readonly name?: string
  /** What Shoots with this binding may use together. @default no limit */
  readonly quotas?: readonly CoreV1.ObjectReference[]
}

/** Lets Shoots of a project namespace use the credentials of the local provider, as an operator would prepare it. */
export async function bindCredentials(
  client: Client,
  namespace: string,
  { name = LOCAL, quotas }: BindingOptions = {},
): Promise<void> {
  const force = { force: true }
  await client.apply(Secret, secret(namespace), force)
  const binding: Draft<CredentialsBinding> = {
    apiVersion: 'security.gardener.cloud/v1alpha1',
    kind: 'CredentialsBinding',
    metadata: { namespace, name },
    provider: { type: LOCAL },
    credentialsRef: { apiVersion: 'v1', kind: 'Secret', name: LOCAL, namespace },
    ...(quotas && { quotas }),
  }
  await client.apply(CredentialsBindings, binding, force)
}
