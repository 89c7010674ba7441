import { helmCli, type HelmCliOptions } from '../../../src/domains/apps/helm/index.ts'

/* A call of Helm on behalf of a fence, in a process of its own, so that a test can kill it. */

const options = JSON.parse(process.argv[2] ?? '{}') as Omit<HelmCliOptions, 'kinds'>
const helm = helmCli({ ...options, kinds: { resourceFor: async () => undefined } })
const as = { user: 'caelus:worker', extra: { 'caelus.io/fence': ['1:1'] } }
await helm.uninstall({ namespace: 'shop', release: 'shop', as }, { hooks: true, timeoutMs: 60_000 })
