import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import type { Postgres } from '../../tools/postgres/postgres.ts'
import { guardPath, releasePath } from '../../tools/process/index.ts'
import { buildPrograms } from './build-programs.ts'

let postgres: Postgres | undefined
let dir = ''

/** Starts one PostgreSQL for the tests that need no other real part. */
export async function setup(project: TestProject): Promise<void> {
  dir = await mkdtemp(join(tmpdir(), 'caelus-test-'))
  guardPath(dir)
  postgres = await startPostgres()
  await buildPrograms(dir, ['test/store/*-process.ts'])
  project.provide('postgresUrl', postgres.url)
  project.provide('release', dir)
}

export async function teardown(): Promise<void> {
  await postgres?.stop()
  await rm(dir, { recursive: true, force: true })
  releasePath(dir)
}
