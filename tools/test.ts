import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../src/kernel/index.ts'
import { obtainBinaries, type BinaryName } from './binaries/index.ts'
import { progressLine, type OnProgress } from './progress.ts'
import { cpuSeconds } from './test-report/cpu-time.ts'
import { endOf } from './test-report/failures.ts'
import type { RunReport } from './test-report/reporter.ts'
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

const environment = { ...process.env, TEST_REPORTS_FILE: reports }

/** Commands that failed. */
const failed: string[] = []

/** Ends the commands under way, which end what they started. */
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort())

/** What each command took, to keep the lanes of about the same length. */
const durations: string[] = []

async function succeeds(child: ChildProcess): Promise<boolean> {
  const begun = performance.now()
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message)).once('close', resolve)
  })
  const command = child.spawnargs.filter((word) => !/^--(?:silent|passWithNoTests)$/.test(word)).join(' ')
  durations.push(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)}          ${command}`)
  if (code !== 0) failed.push(`failed: ${command} (${String(code)})`)
  return code === 0
}

type Run = (command: string, ...words: string[]) => Promise<boolean>

const run: Run = (command, ...words) =>
  succeeds(spawn(command, words, { stdio: 'inherit', env: environment, signal: stop.signal }))

/** Runs a command whose output is printed when it has ended, so that it does not mix with the output of another one. */
async function collect(command: string, words: readonly string[]): Promise<{ succeeded: boolean; output: string }> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], env: environment, signal: stop.signal })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  const succeeded = await succeeds(child)
  const output = Buffer.concat(chunks).toString()
  process.stdout.write(output)
  return { succeeded, output }
}

const runBeside: Run = async (command, ...words) => (await collect(command, words)).succeeded

/** How much of the output of a failed check the summary repeats: the rest may be far above it. */
const CHECK_LINES = 40

/** A script of package.json that reports no tests. */
async function check(script: string): Promise<boolean> {
  const { succeeded, output } = await collect('npm', ['run', '--silent', script])
  if (!succeeded) failed.push(endOf(output, CHECK_LINES))
  return succeeded
}

const vitest = (how: Run, ...projects: string[]): Promise<boolean> =>
  how('vitest', 'run', '--passWithNoTests', ...projects.flatMap((name) => ['--project', name]), ...rest)

const PARTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'helm'] as const
const REAL_NODE = ['kubelet', 'kubectl', 'kube-proxy'] as const
const GARDENER = ['gardener-apiserver', 'gardener-controller-manager'] as const

/** How often a running step is reported between the lines of the tests. */
const REPORT_EVERY_MS = 15_000

const reportedAt = new Map<string, number>()

const showStep: OnProgress = (step) => {
  if (Date.now() - (reportedAt.get(step.what) ?? 0) < REPORT_EVERY_MS) return
  reportedAt.set(step.what, Date.now())
  console.log(progressLine(step))
}

/** Obtains binaries before the tests that need them, because a build takes longer than a test may. */
async function prepare(names: readonly BinaryName[]): Promise<boolean> {
  try {
    await obtainBinaries(names, showStep, stop.signal)
    return true
  } catch (error) {
    console.error(messageOf(error))
    return false
  }
}

/** Obtains binaries of a later run as far as the time goes: Go keeps what it has compiled. What fails is told there. */
function prepareAhead(names: readonly BinaryName[]): { end(): Promise<void> } {
  const enough = new AbortController()
  const ended = obtainBinaries(names, showStep, AbortSignal.any([stop.signal, enough.signal])).catch(() => {})
  return {
    async end() {
      enough.abort()
      await ended
    },
  }
}

const SLOWEST = 10

/** The slowest files of all runs of vitest, the CPU time of everything, what failed, and the closing line. */
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
    ...durations,
    ...(cpu === undefined ? [] : [`CPU of all processes together: ${(cpu / 60).toFixed(1)} minutes`]),
    '',
    ...failed,
    ...all.flatMap(({ failures }) => failures),
    `${sum('passed')} passed, ${sum('failed')} failed`,
  ].join('\n')
}

/**
 * Two lanes of about the same length. Tests on all real parts wait for half of their time. Each lane starts a control
 * plane of its own, because the files of one control plane may disturb each other. Beside them, at a low priority, the
 * binaries of `npm run test:real` are built as far as the time goes.
 */
async function everything(): Promise<boolean> {
  const prepared = prepare(PARTS)
  const ahead = prepared.then(() => prepareAhead([...REAL_NODE, ...GARDENER]))
  const parts = prepared.then((succeeded) => succeeded && vitest(run, 'parts'))
  const beside = [
    await check('typecheck'),
    await check('lint'),
    await vitest(runBeside, 'pure', 'repository', 'console'),
    await vitest(runBeside, 'database'),
    (await prepared) && (await vitest(runBeside, 'kube')),
  ]
  const passed = [...beside, await parts].every(Boolean)
  await (await ahead).end()
  return passed
}

async function realParts(): Promise<boolean> {
  return (await prepare([...PARTS, ...REAL_NODE, ...GARDENER])) && (await vitest(run, 'real'))
}

const passed = real
  ? await realParts()
  : rest.length > 0
    ? await vitest(run, 'pure', 'repository', 'console', 'database', 'kube', 'parts')
    : await everything()
console.log(`\n${summary()}`)
rmSync(scratch, { recursive: true })
process.exit(passed ? 0 : 1)
