import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import {
  charts,
  helmCli,
  releases,
  type Charts,
  type Helm,
  type HelmVersion,
  type Releases,
} from '../../../src/domains/apps/helm/index.ts'
import { discovery, type Client } from '../../../src/kube/index.ts'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { freshNamespace, testClient, testTransport } from '../../support/kube.ts'

export const ROOT = join(import.meta.dirname, '../../..')

export interface HelmWorld extends AsyncDisposable {
  /** Path of helm. */
  readonly binary: string
  readonly charts: Charts
  readonly helm: Helm
  readonly releases: Releases
  readonly client: Client
  readonly namespace: string
  /** Where values lie for the time of a call. */
  readonly tempDir: string
}

/** The real Helm on the real API server, with folders of its own. */
export async function helmWorld(): Promise<HelmWorld> {
  const { helm: binary } = await obtainBinaries(['helm'])
  const dir = await mkdtemp(join(tmpdir(), 'caelus-helm-test-'))
  const [client, transport] = await Promise.all([testClient(), testTransport()])
  const namespace = await freshNamespace(client)
  const kinds = discovery(transport)
  return {
    binary,
    charts: charts({ cacheDir: join(dir, 'charts'), localPaths: true }),
    helm: helmCli({ binary, kubeconfig: inject('kubeconfig'), kinds, home: join(dir, 'home'), tempDir: dir }),
    releases: releases(client, kinds),
    client,
    namespace: namespace.name,
    tempDir: dir,
    async [Symbol.asyncDispose]() {
      await namespace[Symbol.asyncDispose]()
      await Promise.all([client[Symbol.asyncDispose](), transport[Symbol.asyncDispose](), rm(dir, { recursive: true })])
    },
  }
}

/** Which Helm this is, as the worker would find out. */
export async function versionOf(binary: string): Promise<HelmVersion> {
  await using transport = await testTransport()
  const home = await mkdtemp(join(tmpdir(), 'caelus-helm-test-'))
  try {
    const kinds = discovery(transport)
    return await helmCli({ binary, kubeconfig: inject('kubeconfig'), kinds, home }).version()
  } finally {
    await rm(home, { recursive: true })
  }
}

export interface Seen {
  readonly pid: number
  readonly commandLine: readonly string[]
}

/** The Helm that works in `namespace`, as everybody on this machine can see it. */
export async function helmProcess(namespace: string): Promise<Seen | undefined> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const commandLine = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    const isOurs = commandLine[0]?.endsWith('helm') === true && commandLine.includes(namespace)
    if (isOurs) return { pid: Number(pid), commandLine }
  }
  return undefined
}

/** A chart for one test: its templates by file name, and its values. Returns its folder. */
export async function writeChart(
  under: string,
  templates: Readonly<Record<string, string>>,
  { version = '1.0.0', values = '' }: { readonly version?: string; readonly values?: string } = {},
): Promise<string> {
  const folder = await mkdtemp(join(under, 'chart-'))
  await mkdir(join(folder, 'templates'))
  await writeFile(join(folder, 'Chart.yaml'), `apiVersion: v2\nname: odd\nversion: ${version}\n`)
  await writeFile(join(folder, 'values.yaml'), values)
  for (const [name, text] of Object.entries(templates)) await writeFile(join(folder, 'templates', name), text)
  return folder
}
