export type {
  AppsWorkerPort,
  AppsWorkerOptions,
  ControlPlanePort,
  ConfigRow,
  ControllersOptions,
  CliPorts,
  Remote,
  Terminal,
} from './ports.ts'
export { buildProgram, runCli } from './program.ts'
export { cliReference } from './reference.ts'
