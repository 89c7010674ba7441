export type {
  AppsWorkerDoor,
  AppsWorkerOptions,
  ClusterDoor,
  ConfigRow,
  ControllersOptions,
  Doors,
  Remote,
  Terminal,
} from './doors.ts'
export { buildProgram, runCli } from './program.ts'
export { cliReference } from './reference.ts'
