import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { obtainBinaries } from './binaries/index.ts'
import { progressLine } from './progress.ts'

/**
 * `npm test` checks types, lint and everything that needs PostgreSQL, Kubernetes, Helm and Chromium, on the real ones.
 * `npm run test:real` runs the suites whose real parts take long to build. Arguments go to vitest: `npm test -- test/store`.
 *
 * On a new machine the Kubernetes binaries are built while the tests that do not need them run.
 */
const args = process.argv.slice(2)
const real = args.includes('--real')
const rest = args.filter((arg) => arg !== '--real')

const scratch = mkdtempSync(join(tmpdir(), 'caelus-test-'))
const counts = join(scratch, 'counts')

function run(command: string, ...words: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, words, { stdio: 'inherit', env: { ...process.env, TEST_COUNTS_FILE: counts } })
    child.once('error', (error) => {
      console.error(`failed to run ${command}: ${error.message}`)
      resolve(false)
    })
    child.once('exit', (code) => resolve(code === 0))
  })
}

const vitest = (...projects: string[]): Promise<boolean> =>
  run('vitest', 'run', '--passWithNoTests', ...projects.flatMap((name) => ['--project', name]), ...rest)

/** Told once per binary: a line per second would drown what the tests say. */
async function prepare(): Promise<void> {
  const told = new Set<string>()
  await obtainBinaries(
    ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'helm'],
    (step) => {
      if (told.has(step.what)) return
      told.add(step.what)
      console.log(progressLine(step))
    },
  )
}

/** What the runs counted, one line each; the closing line is their sum. */
function closingLine(): string {
  const lines = readFileSync(counts, { encoding: 'utf8', flag: 'a+' }).trim().split('\n')
  const sum = (column: number): number => lines.reduce((total, line) => total + Number(line.split(' ')[column] ?? 0), 0)
  return `${sum(0)} passed, ${sum(1)} failed`
}

async function everything(): Promise<boolean> {
  const prepared = prepare()
  prepared.catch(() => {})
  const checks = [await run('npm', 'run', '--silent', 'typecheck'), await run('npm', 'run', '--silent', 'lint')]
  const quick = await vitest('pure', 'console')
  await prepared
  return [...checks, quick, await vitest('parts')].every(Boolean)
}

const passed = real
  ? await vitest('real')
  : rest.length > 0
    ? await vitest('pure', 'console', 'parts')
    : await everything()
console.log(`\n${closingLine()}`)
rmSync(scratch, { recursive: true })
process.exit(passed ? 0 : 1)
