import { PersistentVolume, type Client } from '../../src/kube/index.ts'

/** Lays a volume ready for one claim. Nothing makes disks in a control plane without nodes; this one only looks like one. */
export async function layVolume(client: Client, claim: { namespace: string; name: string }): Promise<AsyncDisposable> {
  const name = `${claim.namespace}-${claim.name}`
  await client.create(PersistentVolume, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: `/nowhere/${name}` },
      claimRef: claim,
    },
  })
  return { [Symbol.asyncDispose]: async () => void (await client.delete(PersistentVolume, { name })) }
}
