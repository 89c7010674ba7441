import type { ShootDraft, ShootWorker } from '../../src/domains/clusters/gardener/shoot.ts'
import { LOCAL } from './landscape.ts'

export const exampleWorker: ShootWorker = {
  name: 'default',
  machine: { type: LOCAL, image: { name: LOCAL, version: '1.0.0' } },
  minimum: 1,
  maximum: 3,
  maxSurge: 1,
  maxUnavailable: 0,
}

/** An hour of the day, twelve hours from now. Without a window Gardener chooses one, which may have begun. */
export function windowFarFrom(now: Date): { readonly begin: string; readonly end: string } {
  const hour = (ahead: number): string => String((now.getUTCHours() + ahead) % 24).padStart(2, '0')
  return { begin: `${hour(12)}0000+0000`, end: `${hour(13)}0000+0000` }
}

/** A Shoot that the landscape admits, and that is not maintained soon. */
export const exampleShoot = (namespace: string, name: string, now = new Date()): ShootDraft => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { namespace, name },
  spec: {
    cloudProfile: { kind: 'CloudProfile', name: LOCAL },
    region: LOCAL,
    credentialsBindingName: LOCAL,
    kubernetes: { version: '1.34.3' },
    networking: { type: 'calico', nodes: '10.0.0.0/16' },
    provider: { type: LOCAL, workers: [exampleWorker] },
    maintenance: { timeWindow: windowFarFrom(now) },
  },
})
