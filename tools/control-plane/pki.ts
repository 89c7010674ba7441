import { readFile, writeFile } from 'node:fs/promises'
import { NODE } from '../node/index.ts'
import { createAuthority, newKey } from './certificate.ts'
import type { Certified } from './certificate.ts'

/** Every key and certificate of a control plane. */
export interface Pki {
  /** Signs the certificates of the API server and of its clients. */
  readonly ca: Certified
  readonly apiServer: Certified
  /** Signs the aggregator's certificate only, because its holder may impersonate every user. */
  readonly frontProxyCa: Certified
  readonly frontProxy: Certified
  readonly serviceAccount: { readonly publicKey: string; readonly privateKey: string }
  readonly admin: Certified
  readonly controllerManager: Certified
  readonly scheduler: Certified
  readonly kwok: Certified
  readonly kubelet: Certified
  readonly kubeProxy: Certified
}

export const FRONT_PROXY_NAME = 'front-proxy-client'

function createPki(now = new Date()): Pki {
  const ca = createAuthority('caelus-local', now)
  const frontProxyCa = createAuthority('caelus-local-front-proxy', now)
  const serviceAccount = newKey()
  const client = (commonName: string, organization?: string): Certified =>
    ca.issue({ commonName, usage: ['client'], ...(organization === undefined ? {} : { organization }) })
  return {
    ca: ca.certified,
    frontProxyCa: frontProxyCa.certified,
    frontProxy: frontProxyCa.issue({ commonName: FRONT_PROXY_NAME, usage: ['client'] }),
    serviceAccount: {
      publicKey: serviceAccount.publicKey.export({ type: 'spki', format: 'pem' }),
      privateKey: serviceAccount.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    },
    apiServer: ca.issue({
      commonName: 'kube-apiserver',
      usage: ['server'],
      names: [
        'localhost',
        '127.0.0.1',
        SERVICE_ADDRESS,
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        NODE.address,
      ],
    }),
    admin: client('caelus-admin', 'system:masters'),
    // One identity for all controllers instead of a role for each starts five seconds sooner.
    controllerManager: client('system:kube-controller-manager', 'system:masters'),
    scheduler: client('system:kube-scheduler'),
    kwok: client('caelus-kwok', 'system:masters'),
    kubeProxy: client('system:kube-proxy'),
    kubelet: ca.issue({
      commonName: `system:node:${NODE.name}`,
      organization: 'system:nodes',
      usage: ['client', 'server'],
      names: [NODE.name, NODE.address],
    }),
  }
}

/** The first address of the service range: `kubernetes.default.svc`. */
export const SERVICE_ADDRESS = '10.96.0.1'
export const SERVICE_RANGE = '10.96.0.0/16'

/** The PKI in `file`, which is created if it does not exist. */
export async function keptPki(file: string): Promise<Pki> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text !== undefined) return JSON.parse(text) as Pki
  const pki = createPki()
  await writeFile(file, JSON.stringify(pki), { mode: 0o600 })
  return pki
}
