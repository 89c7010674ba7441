import type { Certified } from './certificate.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A kubeconfig with embedded certificates, as JSON, which is valid YAML. */
export function kubeconfigText(server: string, caCert: string, user: Certified): string {
  const name = 'caelus-local'
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(caCert) } }],
    users: [{ name, user: { 'client-certificate-data': base64(user.cert), 'client-key-data': base64(user.key) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
  return `${JSON.stringify(config, null, 2)}\n`
}

/** The port in a kubeconfig of `kubeconfigText`. Copies of it expect the server on the same port. */
export function portIn(text: string): number {
  const { clusters } = JSON.parse(text) as { clusters: ReadonlyArray<{ cluster: { server: string } }> }
  return Number(new URL(clusters[0]?.cluster.server ?? 'https://none').port)
}
