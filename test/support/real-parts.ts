import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildRelease } from '../../tools/release/release.ts'
import { startControlPlane } from '../../tools/control-plane/index.ts'
import type { ControlPlane } from '../../tools/control-plane/index.ts'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import type { Postgres } from '../../tools/postgres/postgres.ts'
import { progressLine } from '../../tools/progress.ts'
import type { OnProgress } from '../../tools/progress.ts'
import { guardPath, releasePath } from '../../tools/process/index.ts'
import { buildPrograms } from './build-programs.ts'
import { prepareChromium } from './chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser, database `postgres`. */
    postgresUrl: string
    /** Path of the administrator's kubeconfig. */
    kubeconfig: string
    /** Folder of the release that tests run; the programs of tests are below it too. */
    release: string
  }
}

/** Reports progress only while binaries are missing: the first run downloads or builds them. */
const showLongSteps: OnProgress = (step) => {
  if (step.of !== undefined) process.stderr.write(`${progressLine(step)}\n`)
}

const started: Array<Postgres | ControlPlane> = []
let dir = ''

const RELEASE_WITHIN_MS = 600_000

/** Starts one PostgreSQL and one control plane with simulated nodes, and builds one release, for the whole run. */
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
    buildAll(join(dir, 'release')),
    // Here, because the time of a test is limited. Without Chromium, the tests that need it fail with the reason.
    prepareChromium(),
  ] as const)
  const [postgres, controlPlane, release] = results
  if (postgres.status === 'rejected') throw postgres.reason
  if (controlPlane.status === 'rejected') throw controlPlane.reason
  if (release.status === 'rejected') throw release.reason
  project.provide('postgresUrl', postgres.value.url)
  project.provide('kubeconfig', controlPlane.value.kubeconfig)
  project.provide('release', release.value)
}

/** Builds the release and, in the same folder, the programs of the tests. */
async function buildAll(folder: string): Promise<string> {
  await buildRelease(folder, AbortSignal.timeout(RELEASE_WITHIN_MS))
  await buildPrograms(folder, ['test/**/*-process.ts', 'bench/controller-peer.ts'])
  return folder
}

export async function teardown(): Promise<void> {
  await Promise.all(started.splice(0).map((part) => part.stop()))
  await rm(dir, { recursive: true, force: true })
  releasePath(dir)
}
