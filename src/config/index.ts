export { environment } from './environment.ts'
export { INSTALLATION, type Installation } from './installation.ts'
export { isLoopback } from './loopback.ts'
export { LOGIN, type Login } from './login.ts'
export {
  effectiveValues,
  invalid,
  readConfig,
  secretValues,
  type Config,
  type EffectiveValue,
  type Env,
} from './read.ts'
export { OF_PROCESSES } from './processes.ts'
export { configurationReference } from './reference.ts'
export { REMOTE } from './remote.ts'
export { RETENTION, type Retention } from './retention.ts'
export type { Section, ValuesOf } from './section.ts'
export { SERVER, type Server } from './server.ts'
export { TELEMETRY, type Telemetry } from './telemetry.ts'
export { WORKERS } from './workers.ts'
