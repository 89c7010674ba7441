import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(import.meta.dirname, 'mutants')

/** A planted bug: a patch with two header lines, `breaks:` and `found-by:`. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly breaks: string
  /** `sim <scenario>`, or the test files that must fail. */
  readonly foundBy: string
}

export function readMutants(): readonly Mutant[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.patch'))
    .toSorted()
    .map((name) => {
      const file = join(FOLDER, name)
      const header = readFileSync(file, 'utf8').split('\ndiff --git')[0] ?? ''
      const field = (of: string): string => new RegExp(`^${of}: (.+)$`, 'm').exec(header)?.[1] ?? ''
      return { name: name.replace(/\.patch$/, ''), file, breaks: field('breaks'), foundBy: field('found-by') }
    })
}

/** Why the patch no longer fits the tree, or undefined. */
export function whyNotApplicable({ file }: Mutant, tree = ROOT): string | undefined {
  const { status, stderr } = spawnSync('git', ['apply', '--check', file], { cwd: tree, encoding: 'utf8' })
  return status === 0 ? undefined : stderr.trim()
}

/** A copy of the tree to plant bugs in. */
function copyOfTree(): { readonly tree: string; readonly remove: () => void } {
  const tree = mkdtempSync(join(tmpdir(), 'caelus-mutants-'))
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  // A file that was deleted and not committed yet is still listed.
  const files = listed.stdout.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)))
  for (const file of files) cpSync(join(ROOT, file), join(tree, file))
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  return { tree, remove: () => rmSync(tree, { recursive: true, force: true }) }
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

function node(tree: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, args, { cwd: tree, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (text: Buffer) => (output += text.toString()))
  child.stderr.on('data', (text: Buffer) => (output += text.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

const VITEST = 'node_modules/vitest/vitest.mjs'

async function isFound({ name, foundBy }: Mutant, tree: string, seeds: number): Promise<boolean> {
  const scenario = /^sim (\S+)$/.exec(foundBy)?.[1]
  if (scenario !== undefined) {
    const { code, output } = await node(tree, ['sim/main.ts', '--scenario', scenario, '--seeds', String(seeds)])
    if (code !== 0 && !output.includes('broke a law')) throw new Error(`failed to simulate ${name}: ${output}`)
    return code !== 0
  }
  const files = foundBy.split(' ')
  const { output } = await node(tree, [VITEST, 'run', '--bail', '1', ...files])
  const failed = /(\d+) passed, (\d+) failed/.exec(output)?.[2]
  if (failed === undefined) throw new Error(`failed to run ${foundBy} for ${name}: ${output.slice(-2_000)}`)
  return Number(failed) > 0
}

/** Plants one bug after the other and runs what has to find it. Returns the names of those that were not found. */
export async function hunt(chosen: readonly Mutant[], seeds: number): Promise<readonly string[]> {
  const { tree, remove } = copyOfTree()
  const survivors: string[] = []
  try {
    for (const mutant of chosen) {
      const why = whyNotApplicable(mutant, tree)
      if (why !== undefined) throw new Error(`${mutant.name}.patch does not apply: ${why}`)
      spawnSync('git', ['apply', mutant.file], { cwd: tree })
      const began = performance.now()
      const found = await isFound(mutant, tree, seeds)
      spawnSync('git', ['apply', '--reverse', mutant.file], { cwd: tree })
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      console.log(`${found ? 'found   ' : 'SURVIVED'}  ${mutant.name}  by ${mutant.foundBy}  (${seconds} s)`)
      if (!found) survivors.push(mutant.name)
    }
  } finally {
    remove()
  }
  for (const name of survivors) console.log(`survived: ${name}`)
  console.log(`${chosen.length - survivors.length} of ${chosen.length} planted bugs found`)
  return survivors
}
