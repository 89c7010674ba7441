import { INSTALLATION } from './installation.ts'
import { RETENTION } from './retention.ts'
import type { Section } from './section.ts'
import { SERVER } from './server.ts'
import { TELEMETRY } from './telemetry.ts'
import { WORKERS } from './workers.ts'

/** Read by every process that runs until it is stopped. */
export const OF_PROCESSES: readonly Section[] = [INSTALLATION, SERVER, WORKERS, RETENTION, TELEMETRY]
