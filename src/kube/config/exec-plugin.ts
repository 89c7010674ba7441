import { spawn } from 'node:child_process'
import type { Clock } from '../../kernel/index.ts'
import { raiseConfig } from './failures.ts'
import type { Credentials, CredentialSource } from './credentials.ts'
import type { ExecEntry } from './kubeconfig-file.ts'

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
const TIMEOUT_MS = 60_000
/** Credentials are renewed this long before they expire, so that they do not expire during a request. */
const EARLY_MS = 10_000

interface ExecCredential {
  readonly apiVersion?: string
  readonly kind?: string
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  }
}

/** The server, as passed to a plugin with `provideClusterInfo`. */
export interface ExecClusterInfo {
  readonly server: string
  readonly [field: string]: unknown
}

export interface ExecPluginOptions {
  readonly entry: ExecEntry
  /** The environment that the plugin inherits, before its own entries. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cluster: ExecClusterInfo
  readonly clock: Clock
}

/** Credentials from a program (`client.authentication.k8s.io`), cached until they expire or are refused. */
export function execCredentials({ entry, env, cluster, clock }: ExecPluginOptions): CredentialSource {
  const { command, apiVersion = '' } = entry
  if (command === undefined || command === '')
    throw raiseConfig('failed to use exec credentials: exec.command is empty')
  if (!API_VERSIONS.includes(apiVersion)) {
    throw raiseConfig(
      `failed to use exec plugin ${command}: exec.apiVersion is "${apiVersion}", supported are ${API_VERSIONS.join(' and ')}`,
    )
  }
  if (entry.interactiveMode === 'Always') {
    throw raiseConfig(
      `failed to use exec plugin ${command}: interactiveMode Always needs a terminal, and a service has none`,
    )
  }

  let cached: { readonly credentials: Credentials; readonly until: number } | undefined
  let running: Promise<Credentials> | undefined

  const load = async (): Promise<Credentials> => {
    const spec = { interactive: false, ...(entry.provideClusterInfo === true && { cluster }) }
    const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec })
    const own = Object.fromEntries((entry.env ?? []).map(({ name, value }) => [name, value]))
    const output = await run(
      command,
      entry.args ?? [],
      { ...env, ...own, KUBERNETES_EXEC_INFO: info },
      entry.installHint,
    )
    const { credentials, until } = parseExecCredential(command, apiVersion, output)
    cached = { credentials, until }
    return credentials
  }

  return {
    kind: `exec ${command}`,
    current() {
      if (cached !== undefined && clock.now() < cached.until) return Promise.resolve(cached.credentials)
      running ??= load().finally(() => (running = undefined))
      return running
    },
    refused(refused) {
      // The refused request may have used older credentials than the cached ones.
      if (cached?.credentials === refused) cached = undefined
      return true
    },
  }
}

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  installHint: string | undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err = (err + text).slice(-500)))
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const missing =
        cause.code === 'ENOENT'
          ? `: it is not installed${installHint === undefined ? '' : `\n${installHint.trim()}`}`
          : ''
      reject(raiseConfig(`failed to run exec plugin ${command}${missing}`, cause))
    })
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(out)
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`
      reject(
        raiseConfig(
          `failed to get credentials from exec plugin ${command}: ${how}${err === '' ? '' : `: ${err.trim()}`}`,
        ),
      )
    })
  })
}

function parseExecCredential(
  command: string,
  apiVersion: string,
  output: string,
): { credentials: Credentials; until: number } {
  const refuse = (why: string) => raiseConfig(`failed to get credentials from exec plugin ${command}: ${why}`)
  let parsed: ExecCredential
  try {
    parsed = JSON.parse(output) as ExecCredential
  } catch {
    throw refuse('its output is not JSON')
  }
  if (parsed.kind !== 'ExecCredential' || parsed.apiVersion !== apiVersion) {
    throw refuse(`it answered ${parsed.apiVersion} ${parsed.kind} instead of ${apiVersion} ExecCredential`)
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.status ?? {}
  if (token === undefined && (clientCertificateData === undefined || clientKeyData === undefined)) {
    throw refuse('status has neither token nor clientCertificateData with clientKeyData')
  }
  const expires = expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(expirationTimestamp)
  if (Number.isNaN(expires)) throw refuse('status.expirationTimestamp is not a time')
  return {
    until: expires - EARLY_MS,
    credentials: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(clientCertificateData !== undefined &&
        clientKeyData !== undefined && { certificate: clientCertificateData, key: clientKeyData }),
    },
  }
}
