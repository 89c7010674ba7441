import { defineConfig } from 'vitest/config'

/** A deadline ends what hangs; it must not judge how fast a busy machine is. */
const PATIENCE_MS = 60_000
/** Tests on real parts start dozens of processes, one after the other. */
const PARTS_PATIENCE_MS = 180_000

/** The same for what a test waits to see. */
const expect = { poll: { timeout: 20_000 } }

export default defineConfig({
  test: {
    reporters: ['default', './tools/summary-reporter.ts'],
    projects: [
      {
        test: {
          name: 'pure',
          include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'tools/**/*.test.ts', 'test/*.test.ts'],
          testTimeout: PATIENCE_MS,
          expect,
        },
      },
      {
        extends: './console/vite.config.ts',
        test: {
          name: 'console',
          root: 'console',
          environment: 'happy-dom',
          include: ['src/**/*.test.{ts,tsx}'],
          testTimeout: PATIENCE_MS,
          expect,
        },
      },
      {
        test: {
          name: 'parts',
          include: ['test/*/**/*.test.ts'],
          exclude: ['test/real/**'],
          globalSetup: ['test/support/real-parts.ts'],
          testTimeout: PARTS_PATIENCE_MS,
          expect,
          hookTimeout: PARTS_PATIENCE_MS,
        },
      },
      {
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          // Each looks whether it leaves the machine as it was.
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 600_000,
          expect,
        },
      },
    ],
  },
})
