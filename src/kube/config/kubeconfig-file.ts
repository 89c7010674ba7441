import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { raiseConfig } from './failures.ts'

/** The kubeconfig format, as far as it is used here. */
export interface ClusterEntry {
  readonly server?: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
  readonly extensions?: ReadonlyArray<{ readonly name: string; readonly extension: unknown }>
}

export interface ExecEntry {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value: string }> | null
  readonly installHint?: string
  readonly provideClusterInfo?: boolean
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always'
}

export interface UserEntry {
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly as?: string
  readonly 'as-groups'?: readonly string[]
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>
  readonly exec?: ExecEntry
  readonly 'auth-provider'?: { readonly name?: string }
}

export interface ContextEntry {
  readonly cluster?: string
  readonly user?: string
  readonly namespace?: string
}

export interface KubeConfigFile {
  readonly currentContext: string
  readonly clusters: ReadonlyMap<string, ClusterEntry>
  readonly users: ReadonlyMap<string, UserEntry>
  readonly contexts: ReadonlyMap<string, ContextEntry>
}

/**
 * Reads and merges files as kubectl does: the first file to name a cluster, user, context or current context wins,
 * relative paths are relative to their file, and a missing file in a list of several is skipped.
 * `undefined`: none of them exists.
 */
export async function readKubeConfigFiles(paths: readonly string[]): Promise<KubeConfigFile | undefined> {
  const read = await Promise.all(paths.map(readOne))
  const found = read.filter((file) => file !== undefined)
  if (found.length === 0) return undefined
  return found.reduce((first, next) => ({
    currentContext: first.currentContext || next.currentContext,
    clusters: new Map([...next.clusters, ...first.clusters]),
    users: new Map([...next.users, ...first.users]),
    contexts: new Map([...next.contexts, ...first.contexts]),
  }))
}

async function readOne(path: string): Promise<KubeConfigFile | undefined> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw raiseConfig(`failed to read kubeconfig ${path}`, cause)
  })
  return text === undefined ? undefined : parseKubeConfig(text, path)
}

interface RawFile {
  readonly 'current-context'?: string
  readonly clusters?: ReadonlyArray<{ readonly name: string; readonly cluster?: ClusterEntry }> | null
  readonly users?: ReadonlyArray<{ readonly name: string; readonly user?: UserEntry }> | null
  readonly contexts?: ReadonlyArray<{ readonly name: string; readonly context?: ContextEntry }> | null
}

/** `path` is the base of relative file names, and is named in errors. */
export async function parseKubeConfig(text: string, path: string): Promise<KubeConfigFile> {
  const raw = await parseYaml(text, path)
  const here = (file: string): string => (isAbsolute(file) ? file : join(dirname(path), file))
  return {
    currentContext: raw['current-context'] ?? '',
    contexts: new Map((raw.contexts ?? []).map(({ name, context }) => [name, context ?? {}])),
    clusters: new Map(
      (raw.clusters ?? []).map(({ name, cluster }) => [name, resolve(cluster ?? {}, ['certificate-authority'], here)]),
    ),
    users: new Map(
      (raw.users ?? []).map(({ name, user = {} }) => {
        const resolved = resolve(user, ['client-certificate', 'client-key', 'tokenFile'], here)
        // A command without a slash is searched in PATH; one with a slash is relative to the file, as in kubectl.
        const command = resolved.exec?.command
        if (resolved.exec === undefined || command === undefined || !command.includes('/')) return [name, resolved]
        return [name, { ...resolved, exec: { ...resolved.exec, command: here(command) } }]
      }),
    ),
  }
}

const loadYaml = () => import('yaml')
let yaml: ReturnType<typeof loadYaml> | undefined

async function parseYaml(text: string, path: string): Promise<RawFile> {
  // Loaded on demand: a process in a pod has no kubeconfig.
  yaml ??= loadYaml()
  const { parse } = await yaml
  try {
    const raw: unknown = parse(text)
    if (typeof raw === 'object' && raw !== null) return raw
  } catch (cause) {
    // The message of the parser quotes the line, which may contain a token.
    const where = (cause as { linePos?: ReadonlyArray<{ line: number }> }).linePos?.[0]
    throw raiseConfig(
      `failed to parse kubeconfig ${path}: not YAML${where === undefined ? '' : ` at line ${where.line}`}`,
    )
  }
  throw raiseConfig(`failed to parse kubeconfig ${path}: it is empty`)
}

function resolve<T extends object>(entry: T, keys: ReadonlyArray<keyof T>, here: (file: string) => string): T {
  const resolved = { ...entry }
  for (const key of keys) {
    const file = entry[key]
    if (typeof file === 'string' && file !== '') resolved[key] = here(file) as T[keyof T]
  }
  return resolved
}
