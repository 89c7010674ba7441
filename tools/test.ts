import { spawnSync } from 'node:child_process'

/**
 * `npm test` checks types, lint and everything that needs PostgreSQL, Kubernetes, Helm and Chromium, on the real ones.
 * `npm run test:real` runs the suites whose real parts take long to build. Arguments go to vitest: `npm test -- test/store`.
 */
const args = process.argv.slice(2)
const real = args.includes('--real')
const rest = args.filter((arg) => arg !== '--real')

const run = (command: string, ...words: string[]): boolean => {
  const { status, error } = spawnSync(command, words, { stdio: 'inherit' })
  if (error) console.error(`failed to run ${command}: ${error.message}`)
  return status === 0
}

const projects = real ? ['real'] : ['pure', 'console', 'parts']
const checksPass =
  real ||
  rest.length > 0 ||
  [run('npm', 'run', '--silent', 'typecheck'), run('npm', 'run', '--silent', 'lint')].every(Boolean)
const testsPass = run('vitest', 'run', '--passWithNoTests', ...projects.flatMap((name) => ['--project', name]), ...rest)
process.exit(checksPass && testsPass ? 0 : 1)
