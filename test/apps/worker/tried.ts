import { join } from 'node:path'
import { inject } from 'vitest'
import type { AppsParts } from '../../../src/domains/apps/index.ts'
import { charts, helmCli } from '../../../src/domains/apps/helm/index.ts'
import { openApps, type Apps, type GrantName } from '../../../src/domains/apps/usecases/index.ts'
import { userDirectory } from '../../../src/identity/index.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import { discovery, type Client } from '../../../src/kube/index.ts'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { testTransport } from '../../support/kube.ts'
import { CLASS, SETTINGS } from './parts.ts'
import type { WorkerWorld } from './world.ts'

/** The use cases of a world, with charts tried before they are published as the API does it. */
export interface TriedApps extends AsyncDisposable {
  readonly apps: Apps
  readonly parts: AppsParts
}

/** `cluster`: as whom definitions are installed. @default the administrator */
export async function triedApps(world: WorkerWorld, cluster: Client = world.client): Promise<TriedApps> {
  const transport = await testTransport()
  const kinds = discovery(transport)
  const { helm: binary } = await obtainBinaries(['helm'])
  const { dir, database, queue } = world
  const store = charts({ cacheDir: join(dir, 'charts'), localPaths: true })
  const helm = helmCli({ binary, kubeconfig: inject('kubeconfig'), kinds, home: join(dir, 'tried'), tempDir: dir })
  return {
    apps: openApps({
      pool: database.pool,
      queue,
      charts: store,
      users: userDirectory,
      ingressClass: CLASS,
      ring: SETTINGS.ring,
      cluster: () => cluster,
      trial: () => ({ helm, discovery: kinds, ingressClass: CLASS }),
      clock: systemClock,
      random: Math.random,
    }),
    parts: await world.parts({ discovery: kinds, charts: store, helm }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

export const RBAC = 'rbac.authorization.k8s.io'

export const role = (name: string, rules = '[{ apiGroups: [""], resources: [nodes], verbs: [get, list] }]'): string =>
  `apiVersion: ${RBAC}/v1
kind: ClusterRole
metadata: { name: "${name}", labels: { app.kubernetes.io/instance: "{{ .Release.Name }}" } }
rules: ${rules}
`

export const binding = (name: string, roleName = name): string => `apiVersion: ${RBAC}/v1
kind: ClusterRoleBinding
metadata: { name: "${name}" }
roleRef: { apiGroup: ${RBAC}, kind: ClusterRole, name: "${roleName}" }
subjects: [{ kind: ServiceAccount, name: reader, namespace: "{{ .Release.Namespace }}" }]
`

export const OWN = '{{ .Release.Name }}-reader'

/** Reads nodes. */
export const READER: Readonly<Record<string, string>> = { 'role.yaml': role(OWN), 'binding.yaml': binding(OWN) }

export const GRANTS: readonly GrantName[] = ['ClusterRole', 'ClusterRoleBinding'].map((kind) => ({
  kind,
  name: '{release}-reader',
}))
