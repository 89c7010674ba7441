import { join } from 'node:path'

/** Paths of the files of a control plane below its directory. */
export const layout = (dir: string) => ({
  dir,
  state: join(dir, 'state.json'),
  lock: join(dir, 'control-plane.lock'),
  pki: join(dir, 'pki.json'),
  secrets: join(dir, 'secrets'),
  etcd: join(dir, 'etcd'),
  node: join(dir, 'node'),
  relay: join(dir, 'node', 'relay.sock'),
  logs: join(dir, 'logs'),
  kubeconfig: join(dir, 'admin.kubeconfig'),
  logOf: (name: string) => join(dir, 'logs', `${name}.log`),
})

export type Layout = ReturnType<typeof layout>
