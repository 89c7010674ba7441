import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../src/kernel/index.ts'
import { obtainBinaries, type BinaryName } from './binaries/index.ts'
import { progressLine } from './progress.ts'
import type { RunReport } from './test-report/reporter.ts'
import { cpuSeconds } from './test-report/cpu-time.ts'
import { slowestFiles } from './test-report/slowest.ts'

/**
 * `npm test` checks types and lint, and runs all suites on the real PostgreSQL, Kubernetes, Helm and Chromium.
 * `npm run test:real` runs the suites whose real parts take long to build. Arguments go to vitest: `npm test -- test/store`.
 *
 * On a new machine it obtains the Kubernetes binaries while the tests that do not need them run.
 */
const args = process.argv.slice(2)
const real = args.includes('--real')
const rest = args.filter((arg) => arg !== '--real')

const scratch = mkdtempSync(join(tmpdir(), 'caelus-test-'))
const reports = join(scratch, 'reports')

function run(command: string, ...words: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, words, { stdio: 'inherit', env: { ...process.env, TEST_REPORTS_FILE: reports } })
    child.once('error', (error) => {
      console.error(`failed to run ${command}: ${error.message}`)
      resolve(false)
    })
    child.once('exit', (code) => resolve(code === 0))
  })
}

const vitest = (...projects: string[]): Promise<boolean> =>
  run('vitest', 'run', '--passWithNoTests', ...projects.flatMap((name) => ['--project', name]), ...rest)

const PARTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'helm'] as const
const REAL_NODE = ['kubelet', 'kubectl', 'kube-proxy'] as const

/** How often a step that goes on is reported between the lines of the tests. */
const REPORT_EVERY_MS = 15_000

/** Obtains binaries before the tests that need them, because a build takes longer than a test may. */
async function prepare(names: readonly BinaryName[]): Promise<boolean> {
  const reportedAt = new Map<string, number>()
  try {
    await obtainBinaries(names, (step) => {
      if (Date.now() - (reportedAt.get(step.what) ?? 0) < REPORT_EVERY_MS) return
      reportedAt.set(step.what, Date.now())
      console.log(progressLine(step))
    })
    return true
  } catch (error) {
    console.error(messageOf(error))
    return false
  }
}

const SLOWEST = 10

/** The slowest files of all runs of vitest, the CPU time of everything, and the closing line. */
function summary(): string {
  const lines = readFileSync(reports, { encoding: 'utf8', flag: 'a+' }).split('\n')
  const all = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RunReport)
  const sum = (name: 'passed' | 'failed'): number => all.reduce((total, report) => total + report[name], 0)
  const cpu = cpuSeconds()
  return [
    slowestFiles(
      all.flatMap(({ files }) => files),
      SLOWEST,
    ),
    ...(cpu === undefined ? [] : [`CPU of all processes together: ${(cpu / 60).toFixed(1)} minutes`]),
    '',
    `${sum('passed')} passed, ${sum('failed')} failed`,
  ].join('\n')
}

async function everything(): Promise<boolean> {
  const prepared = prepare(PARTS)
  const checks = [await run('npm', 'run', '--silent', 'typecheck'), await run('npm', 'run', '--silent', 'lint')]
  const quick = await vitest('pure', 'console')
  return [...checks, quick, (await prepared) && (await vitest('parts'))].every(Boolean)
}

async function realParts(): Promise<boolean> {
  return (await prepare([...PARTS, ...REAL_NODE])) && (await vitest('real'))
}

const passed = real
  ? await realParts()
  : rest.length > 0
    ? await vitest('pure', 'console', 'parts')
    : await everything()
console.log(`\n${summary()}`)
rmSync(scratch, { recursive: true })
process.exit(passed ? 0 : 1)
