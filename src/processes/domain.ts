import type { Command } from 'commander'
import type { Registry } from 'prom-client'
import type { ChangeTopic, Check, Events, Routes, StatusBoard } from '../api/index.ts'
import type { CliPorts } from '../cli/index.ts'
import type { Config, Env, Section } from '../config/index.ts'
import type { TenantUsage } from '../identity/index.ts'
import type { DecisionLog, Emitter, KernelEvents, Replays, Service } from '../kernel/index.ts'
import type {
  Client,
  ConnectionEvents,
  Crd,
  HttpTransport,
  LeaderEvents,
  RequestEvents,
  WatchEvents,
} from '../kube/index.ts'
import type { Seams } from './shared/seams.ts'
import type { ProgressLine } from './shared/terminal.ts'
import type { Listener, Pool } from '../store/index.ts'
import type { FailureLog, Logger } from '../telemetry/index.ts'

/**
 * One domain in the composition root: its configuration, its commands, and its part in each process. The list of all
 * domains is in domains.ts; no other file of the composition root names one.
 */
export interface Domain {
  readonly name: string
  /** Its variables. */
  readonly section?: Section
  /** Variables of a process of its own, which no other process reads. */
  readonly ownSection?: Section
  /** Adds its commands to the command line. */
  readonly commands?: (program: Command, ports: CliPorts, start: StartProcess) => void
  /** Loads its code and opens its part in one process. A command that talks to a server does not need it. */
  readonly open: () => Promise<DomainProcess>
}

/** What a command that runs a process of its own is started with. */
export interface StartProcess {
  readonly env: Env
  /** Reads the sections that the process needs. */
  readonly config: (sections: readonly Section[]) => Config
  /** Ends this program when `running` has ended. */
  readonly untilEnded: (running: Promise<void>) => Promise<void>
}

/** The part of a domain in one process. Every method is optional: a domain has what it needs. */
export interface DomainProcess {
  /** Its custom resource definitions, for the files in deploy/. */
  readonly crds?: readonly Crd[]
  /** Its decisions as sentences, by the kind of the object. */
  readonly inWords?: Readonly<Record<string, (decision: never) => string>>
  /** Its decide functions, by the name of the controller, to run recorded decisions again. */
  readonly replays?: Replays
  /** What a user or an organization has in this domain, and what keeps it from being deleted. */
  readonly usage?: TenantUsage
  /** For `caelus up`: values of variables that are not set, by the names of the variables. */
  localDefaults?(here: Here): Promise<Env>
  /** Logs its events. */
  log?(emitter: Emitter<ProcessEvents>, log: Logger, failures: FailureLog): void
  /** Registers its metrics. */
  metrics?(registry: Registry, emitter: Emitter<ProcessEvents>): void
  /** What its routes are about, for the reference of the API. */
  readonly tag?: string
  /** Its routes for the generated reference; `inert` makes ports that throw when they are called. */
  describe?(inert: (name: string) => never): Routes
  /** Its part of a process that serves the API. */
  serve?(host: ApiHost): ServedDomain
  /** Its controllers of custom resources, for `caelus run-controllers`. */
  controllers?(host: ControllersHost): DomainControllers
}

export type OpenDomain = DomainProcess & Pick<Domain, 'name'>

/** The machine of `caelus up`. */
export interface Here {
  readonly dataDir: string
  /** Whether the control plane is the local one that `caelus up` starts. */
  readonly isLocal: boolean
}

/** Events that every process may emit. A domain adds its own with `withEvents`. */
export type ProcessEvents = KernelEvents & WatchEvents & RequestEvents & ConnectionEvents & LeaderEvents

/** What every process has. */
export interface ProcessHost {
  readonly config: Config
  readonly env: Env
  readonly log: Logger
  /** Logs a failure that may repeat. */
  readonly onError: (error: unknown, what: string) => void
  readonly emitter: Emitter<ProcessEvents>
  readonly decisions: DecisionLog
}

export interface ApiHost extends ProcessHost {
  /** With the login of the API. */
  readonly databaseUrl: string
  /** As the role caelus_api. */
  readonly pool: Pool
  /** Notifications of the database. */
  readonly notices: Listener
  /** Live changes for clients of the API. */
  readonly events: Events
  readonly board: StatusBoard
  readonly seams: Seams
  /** Throws the failure for requests that need a control plane while there is none. */
  readonly noControlPlane: () => never
}

export interface ServedDomain {
  readonly routes?: Routes
  /** How changes of its rows become live events. */
  readonly changes?: ChangeTopic
  /** Started with the API, in this order. */
  readonly services?: readonly Service[]
  /** Shows on the status board what the domain waits for; undefined when it converges. */
  waitFor?(what: string | undefined): void
  /** Connects its part of the API to a control plane. Returns the services to start for that. */
  connect?(controlPlane: ControlPlane): Promise<readonly Service[]>
  /**
   * In `caelus up`, in place of `connect`: starts its workers or controllers as well, and its demo. Resolves when the
   * status board shows the objects of the demo.
   */
  up?(here: UpHost): Promise<void>
  /** In `caelus api`: connects its part to what is no control plane. Returns the services to start for that. */
  connectAlone?(): Promise<readonly Service[]>
  /**
   * In `caelus up`, in place of `connectAlone`: starts what needs no control plane, and its demo. Resolves when the status
   * board shows the objects of the demo, with the number of those that stay in an error on purpose.
   */
  upAlone?(here: UpPlace): Promise<{ readonly troubled: number }>
  /** Closes its connections, after the last service has stopped. */
  close?(): Promise<void>
}

export interface ControlPlane {
  readonly transport: HttpTransport
  readonly client: Client
  readonly kubeconfig: string
}

export interface UpHost extends ControlPlane, UpPlace {}

export interface UpPlace extends Here {
  /** With the login of workers. */
  readonly workerUrl: string
  readonly progress: ProgressLine
  readonly signal: AbortSignal
  /** Starts a service that is stopped at the end. */
  readonly begin: (service: Service) => Promise<void>
}

export interface ControllersHost extends ProcessHost {
  readonly transport: HttpTransport
  /** How many reconciles at once. */
  readonly concurrency: number
}

export interface DomainControllers {
  /** To be started in this order. */
  readonly services: readonly Service[]
  readonly check: Check
}
