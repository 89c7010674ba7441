import { expect, test } from 'vitest'
import { CLUSTER_WORKER, CLUSTERS } from '../../config/clusters.ts'
import { readConfig, type Env } from '../../config/index.ts'
import { gardenerSettings, WORKER_DEFAULTS, workerPace } from './settings.ts'

const configOf = (env: Env) => readConfig(env, { sections: [CLUSTERS, CLUSTER_WORKER] })
const settingsOf = (env: Env) => gardenerSettings(configOf(env).of(CLUSTERS))

test('without a namespace every organization has a project of its own', () => {
  expect(settingsOf({})).toEqual({
    providerType: 'local',
    cloudProfile: 'local',
    credentialsBindingName: 'local',
    credentialsFrom: 'garden',
    maxShootNameLen: 21,
    networkingType: 'calico',
    nodesCidr: '10.0.0.0/16',
  })
  expect(settingsOf({ GARDENER_NAMESPACE: 'garden-fundament' })).toMatchObject({ namespace: 'garden-fundament' })
})

test('a budget that leaves no room for the name of a Shoot stops the start', () => {
  const shortest = { GARDENER_MAX_SHOOT_NAME_LEN: '17' }
  expect(settingsOf(shortest).maxShootNameLen).toBe(17)
  expect(() => settingsOf({ GARDENER_MAX_SHOOT_NAME_LEN: '16' })).toThrow(
    /failed to read the configuration:\n {2}GARDENER_MAX_SHOOT_NAME_LEN is 16, .* leaves 6 for the name of a Shoot/,
  )
  expect(() => settingsOf({ GARDENER_NAMESPACE: 'garden-much-too-long-a-project' })).toThrow(
    'GARDENER_MAX_SHOOT_NAME_LEN is 21',
  )
})

test('another provider has the binding that is named, and none if none is', () => {
  const env = { GARDENER_PROVIDER_TYPE: 'aws', GARDENER_CLOUD_PROFILE: 'aws' }
  expect(settingsOf(env)).not.toHaveProperty('credentialsBindingName')
  expect(
    settingsOf({
      ...env,
      GARDENER_CREDENTIALS_BINDING_NAME: 'prod',
      CAELUS_CLUSTERS_CREDENTIALS_NAMESPACE: 'garden-ops',
      CAELUS_CLUSTERS_MACHINE_IMAGE: 'gardenlinux:1592.9.0',
    }),
  ).toMatchObject({
    providerType: 'aws',
    credentialsBindingName: 'prod',
    credentialsFrom: 'garden-ops',
    machineImage: { name: 'gardenlinux', version: '1592.9.0' },
  })
})

test('the worker polls as often as the claims of dead workers need it', () => {
  const config = configOf({
    RECONCILE_INTERVAL: '1m',
    STATUS_POLL_BATCH_SIZE: '7',
    CAELUS_CLUSTERS_ORPHANS_AT_MOST: '1',
  })
  expect(workerPace(config.of(CLUSTER_WORKER), config.of(CLUSTERS), 5_000)).toEqual({
    pollMs: 5_000,
    passMs: 60_000,
    statusPollMs: 30_000,
    statusPollAtMost: 7,
    orphans: { graceMs: 600_000, atMost: 1 },
  })
  const often = configOf({ POLL_INTERVAL: '2s' })
  expect(workerPace(often.of(CLUSTER_WORKER), often.of(CLUSTERS), 5_000).pollMs).toBe(2_000)
  expect(WORKER_DEFAULTS).toEqual(configOf({}).of(CLUSTER_WORKER))
})
