/** Where a command reads and writes. Tests and the reference page pass their own. */
export interface Terminal {
  /** Answers: standard output. */
  readonly out: (text: string) => void
  /** Progress and errors: standard error. */
  readonly err: (text: string) => void
  /** Whether a person looks at it. */
  readonly isInteractive: boolean
  readonly ask: (question: string) => Promise<string>
}

/** The server that remote commands talk to. */
export interface Remote {
  readonly url: string
  readonly token: string | undefined
}

export interface ConfigRow {
  readonly name: string
  readonly value: string | null
  readonly source: string
  readonly secret: boolean
  readonly description: string
}

/** none: pods stay pending. kwok: they are said to run. real: they run, which needs root and Linux. */
export const NODE_KINDS = ['none', 'kwok', 'real'] as const
export type NodeKind = (typeof NODE_KINDS)[number]

export interface ControlPlaneFacts {
  readonly state: string
  readonly dir: string
  readonly kubeconfig?: string
  readonly server?: string
  readonly components: readonly { readonly name: string; readonly pid: number; readonly alive: boolean }[]
}

export interface ControlPlanePort {
  readonly up: (nodes: NodeKind) => Promise<ControlPlaneFacts>
  readonly down: (purge: boolean) => Promise<readonly string[]>
  readonly status: () => Promise<ControlPlaneFacts>
  /** The administrator's kubeconfig as text. */
  readonly kubeconfig: () => Promise<string>
}

export interface ControllersOptions {
  readonly concurrency?: number
}

/** What commands can do. The program assembles it, so that a command loads only what it needs. */
export interface CliPorts {
  readonly version: string
  readonly terminal: Terminal
  readonly remote: () => Promise<Remote>
  readonly config: () => readonly ConfigRow[]
  /** Runs until it is stopped. `settings` replace variables of the environment, by their names. */
  readonly up: (options: {
    readonly controlPlane: boolean
    readonly settings: Readonly<Record<string, string>>
  }) => Promise<void>
  /** Runs until it is stopped. */
  readonly api: () => Promise<void>
  /** Answers which migrations ran. */
  readonly migrate: () => Promise<readonly string[]>
  /** Creates a login from each connection URL, in a file per role. Answers which. */
  readonly createLogins: (
    files: Readonly<Partial<Record<'caelus_api' | 'caelus_worker', string>>>,
  ) => Promise<readonly { readonly name: string; readonly role: string }[]>
  /** An admin with a token, made in the database itself: for the first login of an installation. */
  readonly createAdmin: (email: string) => Promise<{ readonly email: string; readonly token: string }>
  readonly controlPlane: () => Promise<ControlPlanePort>
  /** Removes what `up` keeps; answers what that was. */
  readonly reset: { find(): Promise<string | undefined>; remove(): Promise<void> }
  /** The controllers of the custom resources, on the control plane of CAELUS_KUBECONFIG. Runs until it is stopped. */
  readonly controllers: (options?: ControllersOptions) => Promise<void>
}
