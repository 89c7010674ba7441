import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Masker } from '../../../kernel/index.ts'
import {
  loadKubeConfig,
  loopbackProxy,
  type KubeConfig,
  type KubeObject,
  type LoopbackProxy,
} from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { assertInScope } from '../scope.ts'
import { classifyHelmError } from './errors.ts'
import { field, type JsonObject } from '../values/json.ts'
import { masker } from '../values/redaction.ts'
import { inCallFolder, removeLeftOvers } from './call-folders.ts'
import { askingTheCluster, checkedByTheServer, forced, parseVersion, type HelmVersion } from './cli-version.ts'
import { handOverFlags, type HandOverFlags } from './hand-over.ts'
import { objectsOf, readManifest, type Kinds } from './manifest.ts'
import type { Applied, Helm, ReleaseTarget, Rollout, VerifyArchive } from './port.ts'
import { signerIn, unverified } from './provenance.ts'
import type { Reach } from './reach.ts'
import { run, type Ran } from './run.ts'
import { Supervision } from './supervision.ts'
import { digestLabels } from './storage.ts'

export interface HelmCliOptions {
  /** Path of the program; Helm 4, or Helm 3.16 and later. */
  readonly binary: string
  /** The path of a file, or one that is in no file. */
  readonly kubeconfig: string | KubeConfig
  readonly kinds: Kinds
  /** A folder of ours where Helm keeps what it remembers between calls; may be shared. */
  readonly home: string
  /** All that Helm and the credential plugins of the kubeconfig see of our environment. @default nothing */
  readonly env?: Readonly<Record<string, string>>
  /** Revisions kept per release. @default 10 */
  readonly historyMax?: number
  /** How long Helm has to note its own end in the release after an abort, before it is ended by force. @default 5 s */
  readonly graceMs?: number
  /** Where a call finds the address of the API server, and which fields it hands over, for as long as it takes. @default the system's */
  readonly tempDir?: string
  /** How long the templates of a chart may take. @default 30 s */
  readonly renderMs?: number
  /** The most memory that one call may hold. @default 512 MiB */
  readonly memoryBytes?: number
}

export interface HelmCli extends Helm {
  /** Which one it is, asked once. Fails when it is none that we accept, or not there. */
  version(): Promise<HelmVersion>
  /** Needs no API server. */
  readonly verify: VerifyArchive
  /** To be called when no call is under way. */
  close(): Promise<void>
}

/**
 * A call ends before collecting its garbage would pay: a fifth of its CPU went there. One that holds much collects after
 * all: what all calls of a process hold together must fit into its pod, see deploy/chart/values.yaml.
 */
export const HELM_MEMORY_MIB = 160
const SHORT_LIVED = { GOGC: 'off', GOMEMLIMIT: `${HELM_MEMORY_MIB}MiB` } as const

/** The longest that a call without hooks may take. */
const QUICK_MS = 120_000
/** Every hook has the timeout for itself. A call with more of them that all take as long is ended. */
const MOST_HOOKS = 10
const RENDER_MS = 30_000
/** It tells who signed. */
const VERIFY_BYTES = 64 * 1024
const MEMORY_BYTES = 512 * 1024 ** 2

/**
 * Helm by its command line. It gets no credentials: it reaches the API server through a proxy of ours, which acts for the
 * call and shows it the namespace of the release alone (reach.ts).
 *
 * Values travel through its standard input: never in arguments or variables, which others on the
 * machine can see, nor in a file, which would stay behind if we died. What Helm says when it fails is shown without them.
 */
export function helmCli(options: HelmCliOptions): HelmCli {
  const { binary, kubeconfig, kinds, home, env = {}, historyMax = 10, graceMs = 5_000, tempDir = tmpdir() } = options
  const kindsDir = join(home, 'kinds')
  const { renderMs = RENDER_MS, memoryBytes = MEMORY_BYTES } = options
  let detected: Promise<HelmVersion> | undefined
  let connected: Promise<Connected> | undefined

  const environment = {
    ...SHORT_LIVED,
    ...withoutHelms(env),
    HELM_DRIVER: 'secret',
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
    HELM_PLUGINS: join(home, 'plugins'),
  }

  interface Connected {
    readonly config: KubeConfig
    readonly proxy: LoopbackProxy
  }

  /** One for all calls: it holds no more than an idle port while there are none. */
  const connection = (): Promise<Connected> => {
    connected ??= connect().catch((error: unknown) => {
      connected = undefined
      throw error
    })
    return connected
  }

  async function connect(): Promise<Connected> {
    const config = typeof kubeconfig === 'string' ? await loadKubeConfig({ path: kubeconfig, env }) : kubeconfig
    await mkdir(kindsDir, { recursive: true, mode: 0o700 })
    return { config, proxy: loopbackProxy(config) }
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
    await removeLeftOvers(tempDir)
    const args = ['version', '--template', '{{.Version}}']
    const ran = await run({ command: binary, args, env: environment, graceMs, limitMs: QUICK_MS })
    return parseVersion(ran.stdout || ran.stderr)
  }

  interface Call {
    readonly target: ReleaseTarget
    readonly reach: Reach
    /** Whether it renders a chart before it writes anything. */
    readonly renders: boolean
    readonly args: readonly string[]
    readonly limitMs: number
    readonly signal: AbortSignal | undefined
    readonly values?: JsonObject
    readonly env?: Readonly<Record<string, string>>
  }

  interface Called extends Ran {
    /** The objects of the record that Helm has written. */
    readonly applied: readonly KubeObject[]
  }

  const call = ({ target, reach, renders, args, limitMs, signal, values, env: more }: Call): Promise<Called> =>
    inCallFolder(tempDir, async (folder) => {
      const { config, proxy } = await connection()
      using supervision = new Supervision({ target, reach, kinds, ...(renders && { renderMs }) })
      await using session = await proxy.open({ as: target.as, judge: (request) => supervision.judge(request) })
      const file = join(folder, 'kubeconfig')
      await writeFile(file, kubeconfigFor(session.server), { mode: 0o600 })
      const ran = await run({
        command: binary,
        args: [...args, '--namespace', target.namespace, '--kubeconfig', file],
        env: { ...environment, KUBECACHEDIR: await sharedCache(folder, session.server), ...more },
        input: values === undefined ? undefined : JSON.stringify(values),
        graceMs,
        limitMs,
        memoryBytes,
        signal,
        stop: supervision.signal,
      })
      supervision.assertNothingRefused()
      const stderr = ran.stderr.replaceAll(session.server, config.server)
      return { ...ran, stderr, applied: supervision.applied }
    })

  /**
   * Helm keeps what it knows about kinds in some hundred files, in a folder named after the address of the server. Every
   * call has another address, and the same kinds.
   */
  async function sharedCache(folder: string, server: string): Promise<string> {
    const { host, pathname } = new URL(server)
    const parent = join(folder, 'kube', 'discovery', host.replace(':', '_'))
    await mkdir(parent, { recursive: true })
    await symlink(kindsDir, join(parent, pathname))
    return join(folder, 'kube')
  }

  /** Runs `work` with what makes Helm leave `handOver` out; most calls hand nothing over and need no folder for it. */
  async function handing<T>(
    helm: HelmVersion,
    handOver: Rollout['handOver'],
    work: (flags: HandOverFlags) => Promise<T>,
  ): Promise<T> {
    if (handOver.length === 0) return work({ args: [], env: {} })
    return inCallFolder(tempDir, async (folder) => work(await handOverFlags(helm, folder, handOver)))
  }

  async function roll(
    verb: readonly string[],
    target: ReleaseTarget,
    rollout: Rollout,
    signal: AbortSignal | undefined,
  ): Promise<Applied> {
    const { chart, values, digest, timeoutMs, handOver, force = false, mask = maskOf(values) } = rollout
    const helm = await version()
    const flags = [
      ...READING_VALUES,
      `--labels=${joined(digestLabels(digest))}`,
      `--timeout=${timeoutMs}ms`,
      '--hide-notes',
      '--skip-crds',
      ...checkedByTheServer(helm),
      ...forced(helm, force),
    ]
    const ran = await handing(helm, handOver, ({ args, env: more }) =>
      call({
        target,
        reach: writing(target),
        renders: true,
        args: [...verb, target.release, chart.archive, ...flags, ...args],
        limitMs: MOST_HOOKS * timeoutMs + QUICK_MS,
        signal,
        values,
        env: more,
      }),
    )
    if (ran.code !== 0) throw classifyHelmError(ran.stderr, { mask })
    const [, revision] = /^REVISION: (\d+)$/m.exec(ran.stdout) ?? []
    if (revision === undefined) throw raise.HelmFailed('helm succeeded and did not say which revision it made')
    return { revision: Number(revision), objects: ran.applied }
  }

  const verify: VerifyArchive = async ({ fileName, archive, provenance, keyring }, signal) => {
    await version()
    return inCallFolder(tempDir, async (folder) => {
      const [file, ring] = [join(folder, fileName), join(folder, 'keyring.gpg')]
      await Promise.all([
        writeFile(file, archive, { mode: 0o600 }),
        writeFile(`${file}.prov`, provenance, { mode: 0o600 }),
        writeFile(ring, keyring, { mode: 0o600 }),
      ])
      const args = ['verify', file, '--keyring', ring]
      const limits = { graceMs, limitMs: QUICK_MS, memoryBytes, outputBytes: VERIFY_BYTES }
      const { code, stdout, stderr } = await run({ command: binary, args, env: environment, ...limits, signal })
      if (code !== 0) throw unverified(fileName, stderr.replaceAll(`${folder}/`, ''))
      return signerIn(fileName, stdout)
    })
  }

  return {
    version,
    verify,

    async close() {
      const open = await connected?.catch(() => undefined)
      await open?.proxy[Symbol.asyncDispose]()
    },

    async render(target, chart, values, signal, { mask = maskOf(values), isUpgrade = false, alone } = {}) {
      const helm = await version()
      const seeing =
        alone === undefined
          ? ['--no-hooks', askingTheCluster(helm)]
          : ['--skip-tests', ...alone.apiVersions.map((one) => `--api-versions=${one}`)]
      const flags = [...READING_VALUES, ...seeing, ...(isUpgrade ? ['--is-upgrade'] : []), ...checkedByTheServer(helm)]
      const args = ['template', target.release, chart.archive, ...flags]
      const reach = { namespace: target.as && target.namespace, mayWrite: false }
      const ran = await call({ target, reach, renders: true, args, limitMs: QUICK_MS, signal, values })
      if (ran.code !== 0) throw classifyHelmError(ran.stderr, { mask })
      if (alone !== undefined) return readManifest(ran.stdout)
      const objects = await objectsOf(ran.stdout, target, kinds)
      assertInScope(objects, target.namespace, target.granted)
      return objects
    },

    // Definitions belong to the whole cluster: an admin installs them, and no release of a tenant.
    install: (target, rollout, signal) => roll(['install', '--skip-crds'], target, rollout, signal),

    upgrade: (target, rollout, signal) =>
      roll(['upgrade', '--reset-values', `--history-max=${historyMax}`], target, rollout, signal),

    async rollBack(target, { revision, timeoutMs, mask = masker([]) }, signal) {
      const helm = await version()
      const args = ['rollback', target.release, String(revision), `--timeout=${timeoutMs}ms`]
      const history = `--history-max=${historyMax}`
      const reach = writing(target)
      const limitMs = MOST_HOOKS * timeoutMs + QUICK_MS
      const attempt = (force: boolean): Promise<Ran> =>
        call({ target, reach, renders: false, args: [...args, history, ...forced(helm, force)], limitMs, signal })
      const gentle = await attempt(false)
      if (gentle.code === 0) return
      const failure = classifyHelmError(gentle.stderr, { mask })
      // No field can be left out of an earlier manifest; an autoscaler sets its own again.
      const ran = failure.failure.code === 'OwnershipConflict' ? await attempt(true) : gentle
      if (ran.code !== 0) throw classifyHelmError(ran.stderr, { mask })
    },

    async uninstall(target, { hooks, timeoutMs, mask = masker([]) }, signal) {
      await version()
      const flags = [`--timeout=${timeoutMs}ms`, ...(hooks ? [] : ['--no-hooks'])]
      const args = ['uninstall', target.release, ...flags]
      const reach = writing(target)
      const limitMs = MOST_HOOKS * timeoutMs + QUICK_MS
      const ran = await call({ target, reach, renders: false, args, limitMs, signal })
      if (ran.code === 0) return true
      if (NOT_THERE.test(/^Error: .*/m.exec(ran.stderr)?.[0] ?? '')) return false
      throw classifyHelmError(ran.stderr, { mask })
    },
  }
}

const writing = ({ namespace, cluster = [] }: ReleaseTarget): Reach => ({ namespace, mayWrite: true, cluster })

const kubeconfigFor = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'api', cluster: { server } }],
    contexts: [{ name: 'api', context: { cluster: 'api' } }],
    'current-context': 'api',
  })

/** The schema was checked before, with what the platform adds; the chart's own check does not know about that. */
const READING_VALUES = ['--values=-', '--skip-schema-validation'] as const

/** As all of what Helm says, so that no hook can say it. */
const NOT_THERE = /^Error: (?:uninstall: )?(?:Release not loaded: \S+: )?release: not found$/i

/** Variables of Helm's own would change what a call does, down to as whom. */
const withoutHelms = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('HELM_') && name !== 'KUBECONFIG'))

const joined = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** Write-only values are in the user part and nowhere else; which of its values they are is not known here. */
const maskOf = (values: JsonObject): Masker => masker([field(values, 'user') ?? null])
