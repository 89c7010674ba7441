import { expect, test } from 'vitest'
import { APPS } from '../../src/config/apps.ts'
import { OF_PROCESSES, readConfig } from '../../src/config/index.ts'
import { openAppsControlPlane } from '../../src/processes/apps/control-plane.ts'
import { openAppsUseCases } from '../../src/processes/apps/usecases.ts'
import { freshDatabase } from '../support/postgres.ts'

test('settings of apps reach the worker', async () => {
  await using database = await freshDatabase()
  const databaseUrl = database.urlOf('caelus_worker')
  const env = {
    CAELUS_APPS_ALLOWED_MANAGERS: 'istio*=metadata.annotations,keda-operator',
    CAELUS_APPS_QUOTA: 'none',
    CAELUS_APPS_NETWORK_POLICY: 'open',
    CAELUS_INGRESS_CLASS: 'traefik',
  }
  const config = readConfig(env, { sections: [...OF_PROCESSES, APPS] })
  const useCases = openAppsUseCases({ config, databaseUrl, pool: database.pool })
  // Opening it sends no request.
  const controlPlane = { transport: {} as never, kubeconfig: '/nowhere', helm: 'helm' }
  const opened = await openAppsControlPlane({
    config,
    env,
    databaseUrl,
    role: 'caelus_worker',
    useCases,
    ...controlPlane,
  })
  expect(opened.parts.settings).toMatchObject({
    ingressClass: 'traefik',
    allowedManagers: [
      { manager: 'istio*', under: 'metadata.annotations', saidBy: 'platform' },
      { manager: 'keda-operator', saidBy: 'platform' },
    ],
    policies: { podSecurity: 'baseline', quota: {}, network: undefined },
  })
  await opened.close()
  await useCases.close()
})
