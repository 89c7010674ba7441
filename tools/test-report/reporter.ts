import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import type { FileCost } from './slowest.ts'

/** What one run of vitest found. */
export interface RunReport {
  readonly passed: number
  readonly failed: number
  readonly files: readonly FileCost[]
}

/** Adds a line to the file that `tools/test.ts` reads; without one it prints the closing line itself. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    let failed = unhandledErrors.length
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      passed += tests.filter((test) => test.result().state === 'passed').length
      failed += tests.filter((test) => test.result().state === 'failed').length
      if (module.state() === 'failed' && tests.every((test) => test.result().state !== 'failed')) failed += 1
    }
    const reports = process.env['TEST_REPORTS_FILE']
    if (reports === undefined) return void process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
    const report: RunReport = { passed, failed, files: modules.map(costOf) }
    appendFileSync(reports, `${JSON.stringify(report)}\n`)
  }
}

function costOf(module: TestModule): FileCost {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  const ms = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration
  return { file: relative(process.cwd(), module.moduleId), wallSeconds: ms / 1000, ...module.meta() }
}
