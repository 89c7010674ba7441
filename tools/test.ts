import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../src/kernel/index.ts'
import { obtainBinaries, type BinaryName } from './binaries/index.ts'
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

const PARTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'helm'] as const
const REAL_NODE = ['kubelet', 'kubectl', 'kube-proxy'] as const

/** A line per second would drown what the tests say, and none for minutes looks like the end. */
const TELL_EVERY_MS = 30_000

/** Before the tests that need them: a build takes longer than a test may. Answers whether all are there. */
async function prepare(names: readonly BinaryName[]): Promise<boolean> {
  const toldAt = new Map<string, number>()
  try {
    await obtainBinaries(names, (step) => {
      if (Date.now() - (toldAt.get(step.what) ?? 0) < TELL_EVERY_MS) return
      toldAt.set(step.what, Date.now())
      console.log(progressLine(step))
    })
    return true
  } catch (error) {
    console.error(messageOf(error))
    return false
  }
}

/** What the runs counted, one line each; the closing line is their sum. */
function closingLine(): string {
  const lines = readFileSync(counts, { encoding: 'utf8', flag: 'a+' }).trim().split('\n')
  const sum = (column: number): number => lines.reduce((total, line) => total + Number(line.split(' ')[column] ?? 0), 0)
  return `${sum(0)} passed, ${sum(1)} failed`
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
console.log(`\n${closingLine()}`)
rmSync(scratch, { recursive: true })
process.exit(passed ? 0 : 1)
