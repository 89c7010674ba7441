import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Deadlines end tests that hang; they do not measure speed. */
const TIMEOUT_MS = 60_000
/** A test on real parts starts dozens of processes, one after the other. */
const PARTS_TIMEOUT_MS = 180_000

const expect = { poll: { timeout: 20_000 } }

/** Tests on PostgreSQL alone. They mostly wait for it, so `npm test` runs them beside those on all parts. */
const ON_DATABASE = [
  'test/store/**/*.test.ts',
  'test/apps/store/**/*.test.ts',
  'test/clusters/*.test.ts',
  'test/identity/**/*.test.ts',
  'test/api/*.test.ts',
  'test/api/apps/**/*.test.ts',
  'test/api/clusters/**/*.test.ts',
  'test/api/identity/**/*.test.ts',
]

/** A share of the tests on all real parts, which `npm test` runs beside the others. */
const ON_KUBE = [
  'test/{kube,runtimes,processes,bench}/**/*.test.ts',
  'test/api/runtimes/**/*.test.ts',
  'test/console/{clusters,identity,runtimes}/**/*.test.ts',
  'test/console/shell.test.ts',
]

/** Measures the CPU time of each test file. */
const setupFiles = [join(import.meta.dirname, 'tools/test-report/measure-file.ts')]

/** One PostgreSQL and one control plane for all tests of the project. */
const onParts = {
  globalSetup: ['test/support/real-parts.ts'],
  testTimeout: PARTS_TIMEOUT_MS,
  hookTimeout: PARTS_TIMEOUT_MS,
  expect,
  setupFiles,
}

export default defineConfig({
  test: {
    reporters: ['default', './tools/test-report/reporter.ts'],
    projects: [
      {
        test: {
          name: 'pure',
          include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'tools/**/*.test.ts', 'bench/*.test.ts'],
          // Nearly all of these files run for less time than a process takes to start.
          isolate: false,
          testTimeout: TIMEOUT_MS,
          expect,
          setupFiles,
        },
      },
      {
        test: {
          name: 'repository',
          include: ['test/*.test.ts'],
          testTimeout: TIMEOUT_MS,
          expect,
          setupFiles,
        },
      },
      {
        extends: './console/vite.config.ts',
        test: {
          name: 'console',
          root: 'console',
          include: ['src/**/*.test.{ts,tsx}'],
          testTimeout: TIMEOUT_MS,
          expect,
          setupFiles,
        },
      },
      {
        test: {
          name: 'database',
          include: ON_DATABASE,
          globalSetup: ['test/support/real-database.ts'],
          testTimeout: PARTS_TIMEOUT_MS,
          expect,
          setupFiles,
          hookTimeout: PARTS_TIMEOUT_MS,
        },
      },
      { test: { name: 'kube', include: ON_KUBE, ...onParts } },
      {
        test: {
          name: 'parts',
          include: ['test/*/**/*.test.ts'],
          exclude: ['test/real/**', ...ON_DATABASE, ...ON_KUBE],
          ...onParts,
        },
      },
      {
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          // Each test checks that it leaves the machine unchanged.
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 600_000,
          expect,
          setupFiles,
        },
      },
    ],
  },
})
