import { every, messageOf, type Service } from '../../kernel/index.ts'
import { isAlreadyExists, PersistentVolume, PersistentVolumeClaim, type Client } from '../../kube/index.ts'

const EVERY_MS = 1_000
const LABEL = 'caelus.io/simulated'

/**
 * Binds every PersistentVolumeClaim of the local control plane to a volume without a disk, as its simulated
 * nodes run pods without containers. Deletes the volumes of deleted claims.
 */
export function simulatedStorage(client: Client, onError: (message: string) => void): Service {
  return every('simulated storage', EVERY_MS, (signal) => provide(client, signal), {
    onError: (error) => onError(messageOf(error)),
  })
}

async function provide(client: Client, signal: AbortSignal): Promise<void> {
  const claims = await client.list(PersistentVolumeClaim, {}, signal)
  const volumes = await client.list(PersistentVolume, { labels: LABEL }, signal)
  const wanted = new Set(claims.map(({ metadata }) => volumeName(metadata.uid)))
  for (const { metadata } of volumes) {
    if (!wanted.has(metadata.name)) await client.delete(PersistentVolume, { name: metadata.name }, { signal })
  }
  const present = new Set(volumes.map(({ metadata }) => metadata.name))
  for (const { metadata, spec, status } of claims) {
    const name = volumeName(metadata.uid)
    if (status?.phase !== 'Pending' || spec?.storageClassName || present.has(name)) continue
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, labels: { [LABEL]: 'true' } },
      spec: {
        capacity: { storage: spec?.resources?.requests?.['storage'] ?? '1Gi' },
        accessModes: [...(spec?.accessModes ?? ['ReadWriteOnce'])],
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: `/nowhere/${name}` },
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: metadata.namespace,
          name: metadata.name,
          uid: metadata.uid,
        },
      },
    } as const
    await client.create(PersistentVolume, volume as never, { signal }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  }
}

const volumeName = (uid = ''): string => `simulated-${uid}`
