export type { ControlPlanePort, ConfigRow, ControllersOptions, CliPorts, Remote, Terminal } from './ports.ts'
export { buildProgram, runCli, type AddCommands } from './program.ts'
export { cliReference } from './reference.ts'
