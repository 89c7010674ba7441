import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    reporters: ['default', './tools/summary-reporter.ts'],
    projects: [
      {
        test: {
          name: 'pure',
          include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'tools/**/*.test.ts', 'test/*.test.ts'],
        },
      },
      {
        extends: './console/vite.config.ts',
        test: { name: 'console', root: 'console', environment: 'happy-dom', include: ['src/**/*.test.{ts,tsx}'] },
      },
      {
        test: {
          name: 'parts',
          include: ['test/*/**/*.test.ts'],
          exclude: ['test/real/**'],
          globalSetup: ['test/support/real-parts.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'real', include: ['test/real/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 600_000 } },
    ],
  },
})
