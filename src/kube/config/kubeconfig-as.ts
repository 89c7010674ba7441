import { delimiter } from 'node:path'
import type { Identity } from '../client/client.ts'
import { raiseConfig } from './failures.ts'
import { readKubeConfigFiles } from './kubeconfig-file.ts'

/**
 * The kubeconfig at `path` with its current context impersonating another user, for programs that read their identity
 * from a file. It contains the credentials of the original and must be stored as safely.
 */
export async function kubeconfigAs(path: string, { user, groups, extra }: Identity): Promise<string> {
  const file = await readKubeConfigFiles(path.split(delimiter))
  const context = file?.contexts.get(file.currentContext)
  if (file === undefined || context === undefined)
    throw raiseConfig(`failed to act as ${user} by kubeconfig ${path}: it is missing or has no current context`)
  const { as: _as, 'as-groups': _groups, 'as-user-extra': _extra, ...own } = file.users.get(context.user ?? '') ?? {}
  const impersonating = {
    ...own,
    as: user,
    ...(groups && { 'as-groups': groups }),
    ...(extra && { 'as-user-extra': extra }),
  }
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster: file.clusters.get(context.cluster ?? '') }],
    users: [{ name: 'user', user: impersonating }],
    contexts: [{ name: 'context', context: { ...context, cluster: 'cluster', user: 'user' } }],
    'current-context': 'context',
  })
}
