export type {
  AppsWorkerDoor,
  AppsWorkerOptions,
  ClusterDoor,
  ConfigRow,
  ControllersOptions,
  Doors,
  Remote,
  Terminal,
} from './ports.ts'
export { buildProgram, runCli } from './program.ts'
export { cliReference } from './reference.ts'
