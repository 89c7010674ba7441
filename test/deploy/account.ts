import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, vi } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import {
  CustomResourceDefinition,
  httpTransport,
  isForbidden,
  Lease,
  loadKubeConfig,
  makeClient,
  type Client,
} from '../../src/kube/index.ts'
import { testTransport } from '../support/kube.ts'
import { HOME } from './chart.ts'

export interface Account extends AsyncDisposable {
  readonly kubeconfig: string
  readonly dir: string
  readonly client: Client
}

/** As a pod of the chart has it: a kubeconfig with a token of its service account. */
export async function accountOf(name: string): Promise<Account> {
  await using admin = await testTransport()
  const path = `/api/v1/namespaces/${HOME}/serviceaccounts/${name}/token`
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const { body } = await admin.send({ method: 'POST', path, body: request })
  const { token } = (body as { status: { token: string } }).status
  const { server, tls } = await loadKubeConfig({ path: inject('kubeconfig') })
  const ca = Buffer.from(tls.ca ?? '').toString('base64')
  const dir = await mkdtemp(join(tmpdir(), 'caelus-account-'))
  const kubeconfig = join(dir, 'kubeconfig')
  await writeFile(join(dir, 'token'), token, { mode: 0o600 })
  const file = {
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { tokenFile: join(dir, 'token') } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }
  await writeFile(kubeconfig, JSON.stringify(file))
  const transport = httpTransport(await loadKubeConfig({ path: kubeconfig }))
  return {
    kubeconfig,
    dir,
    client: makeClient(transport, { fieldManager: 'test' }),
    async [Symbol.asyncDispose]() {
      await transport.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** The API server learns of new rights of controllers a moment after they were given, and not of all of them at once. */
export async function hasRights({ client }: Account, { namespace }: { readonly namespace: string }): Promise<void> {
  const uses = (): Promise<unknown> =>
    Promise.all([
      client.listPage(ClassRuntime, { namespace, limit: 1 }),
      client.listPage(CustomResourceDefinition, { limit: 1 }),
      client.get(Lease, { namespace: HOME, name: 'caelus-runtimes' }),
    ])
  await vi.waitFor(uses, 20_000)
}

/** What is tried, in words, and the answer to it. */
export type Attempt = readonly [string, Promise<unknown>]

/** Each attempt with whether the API server refused it for want of rights; what fails otherwise fails the test. */
export const outcomesOf = (attempts: readonly Attempt[]): Promise<string[]> =>
  Promise.all(
    attempts.map(async ([what, attempt]) => {
      const isRefused = await attempt.then(
        () => false,
        (error: unknown) => {
          if (isForbidden(error)) return true
          throw error
        },
      )
      return `${what}: ${isRefused ? 'refused' : 'done'}`
    }),
  )
