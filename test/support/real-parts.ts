import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildConsole } from '../../tools/release/build-console.ts'
import { startControlPlane } from '../../tools/control-plane/index.ts'
import type { ControlPlane } from '../../tools/control-plane/index.ts'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import type { Postgres } from '../../tools/postgres/postgres.ts'
import { progressLine } from '../../tools/progress.ts'
import type { OnProgress } from '../../tools/progress.ts'
import { guardPath, releasePath } from '../../tools/process/index.ts'
import { prepareChromium } from './chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser, database `postgres`. */
    postgresUrl: string
    /** Path of the administrator's kubeconfig. */
    kubeconfig: string
  }
}

/** Silent when everything is at hand; a first run builds for minutes and says so. */
const showLongSteps: OnProgress = (step) => {
  if (step.of !== undefined) process.stderr.write(`${progressLine(step)}\n`)
}

const started: Array<Postgres | ControlPlane> = []
let dir = ''

const CONSOLE_WITHIN_MS = 600_000

/** One PostgreSQL and one control plane with simulated nodes for the whole run; each test makes its own world inside. */
export async function setup(project: TestProject): Promise<void> {
  dir = await mkdtemp(join(tmpdir(), 'caelus-test-'))
  guardPath(dir)
  const keep = <T extends Postgres | ControlPlane>(part: T): T => {
    started.push(part)
    return part
  }
  const results = await Promise.allSettled([
    startPostgres().then(keep),
    startControlPlane({
      dir: join(dir, 'control-plane'),
      onProgress: showLongSteps,
    }).then(keep),
    // Ahead of tests whose time is limited. Without them, those who need them say so.
    prepareChromium(),
    buildConsole(AbortSignal.timeout(CONSOLE_WITHIN_MS)),
  ] as const)
  const [postgres, controlPlane] = results
  if (postgres.status === 'rejected') throw postgres.reason
  if (controlPlane.status === 'rejected') throw controlPlane.reason
  project.provide('postgresUrl', postgres.value.url)
  project.provide('kubeconfig', controlPlane.value.kubeconfig)
}

export async function teardown(): Promise<void> {
  await Promise.all(started.splice(0).map((part) => part.stop()))
  await rm(dir, { recursive: true, force: true })
  releasePath(dir)
}
