import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { installCrd, isAlreadyExists, Namespace, type Client } from '../../src/kube/index.ts'
import { obtainBinaries } from '../../tools/binaries/index.ts'

const CHART = join(import.meta.dirname, '../../deploy/chart')

/** The chart is installed there and nowhere else. */
export const HOME = 'caelus-system'

export type Values = Readonly<Record<string, unknown>>

/** What nobody can guess for others. */
const NEEDED: Values = { publicUrl: 'https://caelus.example.com' }

interface Helm extends AsyncDisposable {
  run(args: readonly string[], values?: Values): Promise<string>
}

/** Helm on the control plane of this run, as its administrator. */
export async function adminHelm(): Promise<Helm> {
  const { helm } = await obtainBinaries(['helm'])
  const home = await mkdtemp(join(tmpdir(), 'caelus-helm-'))
  return {
    async run(args, values = {}) {
      const given = Object.entries({ ...NEEDED, ...values }).map(
        ([name, value]) => `--set-json=${name}=${JSON.stringify(value)}`,
      )
      const all = [...args, ...(args[0] === 'uninstall' ? [] : [CHART, ...given])]
      const env = { HOME: home, KUBECONFIG: inject('kubeconfig') }
      const { stdout } = await promisify(execFile)(helm, all, { env, maxBuffer: 16 * 1024 ** 2 })
      return stdout
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}

/** The namespace of the locks, and our kinds: of those a control plane has one, and no test may take them away. */
export async function ensureHome(client: Client): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOME } } as const
  await client.create(Namespace, namespace).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  await installCrd(client, ClassRuntime)
}

/** Installs the chart without pods, which need an image; its hook would need one too. `ensureHome` comes before. */
export async function installed(values: Values = {}): Promise<AsyncDisposable & { readonly name: string }> {
  const name = `caelus-${randomBytes(4).toString('hex')}`
  const helm = await adminHelm()
  const without = { 'api.replicas': 0, 'worker.replicas': 0, 'controllers.replicas': 0, 'crds.install': false }
  await helm.run(['install', name, '--namespace', HOME, '--no-hooks'], { ...without, ...values })
  return {
    name,
    async [Symbol.asyncDispose]() {
      await helm.run(['uninstall', name, '--namespace', HOME, '--no-hooks'])
      await helm[Symbol.asyncDispose]()
    },
  }
}
