import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { classifyHelmError } from '../helm-errors.ts'
import { field, type JsonObject } from '../json.ts'
import { masker } from '../redaction.ts'
import { askingTheCluster, parseVersion, undoingOnFailure, waiting, type HelmVersion } from './cli-version.ts'
import { handOverFlags } from './hand-over.ts'
import { objectsOf, type Kinds } from './manifest.ts'
import type { Helm, ReleaseTarget, Rollout } from './port.ts'
import { run, type Ran } from './run.ts'
import { digestLabels } from './storage.ts'

export interface HelmCliOptions {
  /** Path of the program; Helm 4, or Helm 3.13 and later. */
  readonly binary: string
  readonly kubeconfig: string
  readonly kinds: Kinds
  /** A folder of ours where Helm keeps what it remembers between calls; may be shared. */
  readonly home: string
  /** All that Helm and the credential plugins of the kubeconfig see of our environment. @default nothing */
  readonly env?: Readonly<Record<string, string>>
  /** Revisions kept per release. @default 5 */
  readonly historyMax?: number
  /** How long Helm has to note its own end in the release after an abort, before it is ended by force. @default 5 s */
  readonly graceMs?: number
  /** Values lie here for the time of a call, readable by us alone. @default the system's */
  readonly tempDir?: string
}

/** The longest that a call without waiting may take. */
const QUICK_MS = 120_000

/**
 * Helm by its command line. Values travel in a file that only we can read and that goes with the call: never in
 * arguments, which everybody on the machine can see. What Helm says when it fails is shown without them.
 */
export function helmCli(options: HelmCliOptions): Helm {
  const { binary, kubeconfig, kinds, home, env = {}, historyMax = 5, graceMs = 5_000, tempDir = tmpdir() } = options
  let detected: Promise<HelmVersion> | undefined

  const environment = {
    ...env,
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
    HELM_PLUGINS: join(home, 'plugins'),
    KUBECACHEDIR: join(home, 'kube'),
  }

  const version = (): Promise<HelmVersion> => {
    detected ??= detect().catch((error: unknown) => {
      detected = undefined
      throw error
    })
    return detected
  }

  async function detect(): Promise<HelmVersion> {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const args = ['version', '--template', '{{.Version}}']
    const ran = await run({ command: binary, args, env: environment, graceMs, limitMs: QUICK_MS })
    return parseVersion(ran.stdout || ran.stderr)
  }

  interface Call {
    readonly target: ReleaseTarget
    readonly args: readonly string[]
    readonly limitMs: number
    readonly signal: AbortSignal | undefined
    readonly env?: Readonly<Record<string, string>>
  }

  const call = ({ target, args, limitMs, signal, env: more }: Call): Promise<Ran> =>
    run({
      command: binary,
      args: [...args, '--namespace', target.namespace, '--kubeconfig', kubeconfig, ...identity(target)],
      env: { ...environment, ...more },
      graceMs,
      limitMs,
      signal,
    })

  /** Runs `work` with a folder for the values of one call. */
  async function withValues<T>(values: JsonObject, work: (file: string, folder: string) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tempDir, 'caelus-helm-'))
    try {
      const file = join(folder, 'values.json')
      await writeFile(file, JSON.stringify(values), { mode: 0o600 })
      return await work(file, folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async function roll(
    verb: readonly string[],
    target: ReleaseTarget,
    { chart, values, digest, timeoutMs, onFailure, handOver }: Rollout,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly revision: number }> {
    const helm = await version()
    return withValues(values, async (file, folder) => {
      const handing = await handOverFlags(helm, folder, handOver)
      const args = [
        ...verb,
        target.release,
        chart.archive,
        `--values=${file}`,
        `--labels=${joined(digestLabels(digest))}`,
        `--timeout=${timeoutMs}ms`,
        '--skip-schema-validation',
        '--hide-notes',
        ...waiting(helm),
        ...(onFailure === 'keep' ? [] : [undoingOnFailure(helm)]),
        ...handing.args,
      ]
      const ran = await call({ target, args, limitMs: 3 * timeoutMs + QUICK_MS, signal, env: handing.env })
      if (ran.code !== 0) throw classifyHelmError(ran.stderr, { mask: maskOf(values) })
      return { revision: Number(/^REVISION: (\d+)$/m.exec(ran.stdout)?.[1] ?? 1) }
    })
  }

  return {
    async render(target, chart, values, signal) {
      const helm = await version()
      return withValues(values, async (file) => {
        const flags = [`--values=${file}`, '--skip-schema-validation', '--no-hooks', askingTheCluster(helm)]
        const args = ['template', target.release, chart.archive, ...flags]
        const ran = await call({ target, args, limitMs: QUICK_MS, signal })
        if (ran.code !== 0) throw classifyHelmError(ran.stderr, { mask: maskOf(values) })
        return objectsOf(ran.stdout, target, kinds)
      })
    },

    install: (target, rollout, signal) => roll(['install'], target, rollout, signal),

    upgrade: (target, rollout, signal) =>
      roll(['upgrade', '--reset-values', `--history-max=${historyMax}`], target, rollout, signal),

    async uninstall(target, { hooks, timeoutMs }, signal) {
      await version()
      const flags = [`--timeout=${timeoutMs}ms`, ...(hooks ? [] : ['--no-hooks'])]
      const args = ['uninstall', target.release, ...flags]
      const ran = await call({ target, args, limitMs: 3 * timeoutMs + QUICK_MS, signal })
      if (ran.code === 0) return true
      if (/release: not found/i.test(ran.stderr)) return false
      throw classifyHelmError(ran.stderr, { mask: (text) => text })
    },
  }
}

const identity = ({ as }: ReleaseTarget): readonly string[] =>
  as === undefined ? [] : ['--kube-as-user', as.user, ...as.groups.flatMap((group) => ['--kube-as-group', group])]

const joined = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** Write-only values are in the user part and nowhere else; which of its values they are is not known here. */
const maskOf = (values: JsonObject): ((text: string) => string) => masker([field(values, 'user') ?? null])
