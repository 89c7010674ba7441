import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with the one line that people and machines look for: `N passed, N failed`. */
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
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  }
}
