import {
  INSTALLATION,
  LOGIN,
  OF_PROCESSES,
  REMOTE,
  RETENTION,
  SERVER,
  TELEMETRY,
  WORKERS,
  type Section,
} from '../config/index.ts'
import { DOMAINS } from './domains.ts'

const OF_DOMAINS = DOMAINS.flatMap(({ section }) => section ?? [])

/** Read by a process that serves the API. */
export const OF_API: readonly Section[] = [...OF_PROCESSES, LOGIN, ...OF_DOMAINS]

/** Read by a process that runs the controllers of all domains. */
export const OF_CONTROLLERS: readonly Section[] = [...OF_PROCESSES, ...OF_DOMAINS]

/** Read by commands that talk to a server. */
export const OF_REMOTE: readonly Section[] = [INSTALLATION, REMOTE]

/** All there are, in the order of the reference. */
export const SECTIONS: readonly Section[] = [
  INSTALLATION,
  SERVER,
  LOGIN,
  WORKERS,
  RETENTION,
  ...DOMAINS.flatMap(({ section = [], ownSection = [] }) => [section, ownSection].flat()),
  REMOTE,
  TELEMETRY,
]
