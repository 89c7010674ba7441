import type { GardenerSettings } from '../../src/domains/clusters/shoot/wanted.ts'

/** As `npm start` has them. */
export const BENCH_SETTINGS: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  credentialsBindingName: 'local',
  credentialsFrom: 'garden',
  maxShootNameLen: 21,
  networkingType: 'calico',
}
