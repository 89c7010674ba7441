import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { failureOf } from './failures.ts'
import type { FileCost } from './slowest.ts'

/** What one run of vitest found. */
export interface RunReport {
  readonly passed: number
  readonly failed: number
  readonly files: readonly FileCost[]
  /** What failed, one text for each. */
  readonly failures: readonly string[]
}

/** Adds a line to the file that `tools/test.ts` reads; without one it prints the closing line itself. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: ReadonlyArray<{ readonly message?: string }>): void {
    let passed = 0
    const failures = unhandledErrors.map((error) => failureOf('outside of a test', [error]))
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      passed += tests.filter((test) => test.result().state === 'passed').length
      const failed = tests.filter((test) => test.result().state === 'failed')
      const file = fileOf(module)
      failures.push(...failed.map((test) => failureOf(`${file} > ${test.fullName}`, test.result().errors ?? [])))
      if (module.state() === 'failed' && failed.length === 0) failures.push(failureOf(file, module.errors()))
    }
    const reports = process.env['TEST_REPORTS_FILE']
    if (reports === undefined) return void process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`)
    const report: RunReport = { passed, failed: failures.length, files: modules.map(costOf), failures }
    appendFileSync(reports, `${JSON.stringify(report)}\n`)
  }
}

const fileOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId)

function costOf(module: TestModule): FileCost {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  const ms = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration
  return { file: fileOf(module), wallSeconds: ms / 1000, ...module.meta() }
}
