import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Checkout extends AsyncDisposable {
  readonly dir: string
  run(script: string): Launched
  /** Runs `bin/caelus.mjs`, whose program is `src/main.ts`. */
  command(): Launched
}

interface Launched {
  readonly child: ReturnType<typeof spawn>
  readonly ended: Promise<{ code: number | null; said: string }>
}

/** A small checkout: the real launchers, and one dependency in the role of the pinned Node. */
async function freshClone(engines?: string): Promise<Checkout> {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-clone-'))
  await cp(join(import.meta.dirname, '../../bin'), join(dir, 'bin'), { recursive: true })
  await mkdir(join(dir, 'pinned'))
  await writeFile(
    join(dir, 'pinned/package.json'),
    JSON.stringify({ name: 'pinned', version: '1.0.0', bin: { node: 'node.sh' } }),
  )
  await writeFile(join(dir, 'pinned/node.sh'), `#!/bin/sh\nPINNED=yes exec "${process.execPath}" "$@"\n`)
  await chmod(join(dir, 'pinned/node.sh'), 0o755)
  const root = {
    name: 'clone',
    version: '1.0.0',
    dependencies: { pinned: 'file:pinned' },
    ...(engines && { engines: { node: engines } }),
  }
  await writeFile(join(dir, 'package.json'), JSON.stringify(root))
  await writeFile(
    join(dir, 'package-lock.json'),
    JSON.stringify({
      ...root,
      lockfileVersion: 3,
      packages: {
        '': root,
        'node_modules/pinned': { resolved: 'pinned', link: true },
        pinned: { version: '1.0.0', bin: { node: 'node.sh' } },
      },
    }),
  )
  await writeFile(
    join(dir, 'hello.ts'),
    `const word: string = process.env['PINNED'] ?? 'no'\nconsole.log('pinned ' + word)\nprocess.exit(7)\n`,
  )
  await writeFile(
    join(dir, 'wait.ts'),
    `process.on('SIGTERM', () => process.exit(42))\nconsole.log('waiting')\nsetInterval(() => {}, 1000)\n`,
  )
  await mkdir(join(dir, 'src'))
  await cp(join(dir, 'hello.ts'), join(dir, 'src/main.ts'))
  const launch = (...args: string[]): Launched => {
    const child = spawn(process.execPath, args, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, said })) }
  }
  return {
    dir,
    run: (script) => launch(join(dir, 'bin/run.mjs'), script),
    command: () => launch(join(dir, 'bin/caelus.mjs')),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

const INSTALLING = 'installing dependencies'

test('a fresh clone installs itself once, however many begin at once, and runs under the pinned Node', async () => {
  await using clone = await freshClone()
  const both = await Promise.all([clone.run('hello.ts').ended, clone.run('hello.ts').ended])
  expect(both.map(({ code }) => code)).toEqual([7, 7])
  expect(both.every(({ said }) => said.includes('pinned yes'))).toBe(true)
  expect(both.filter(({ said }) => said.includes(INSTALLING))).toHaveLength(1)
  expect((await clone.run('hello.ts').ended).said).toBe('pinned yes\n')

  const lockfile = join(clone.dir, 'package-lock.json')
  const asked = JSON.parse(await readFile(lockfile, 'utf8'))
  asked.packages['node_modules/another'] = { version: '1.0.0' }
  await writeFile(lockfile, JSON.stringify(asked))
  expect((await clone.run('hello.ts').ended).said).toContain(INSTALLING)
})

test('a Node that satisfies engines runs commands in its own process; scripts need the pinned Node', async () => {
  const [major = '0', minor = '0'] = process.versions.node.split('.')
  await using fitting = await freshClone(`>=${major}.${minor}`)
  expect((await fitting.command().ended).said).toMatch(/pinned no\n$/)
  expect((await fitting.run('hello.ts').ended).said).toBe('pinned yes\n')
  await using older = await freshClone(`>=${major}.${Number(minor) + 1}`)
  expect((await older.command().ended).said).toMatch(/pinned yes\n$/)
})

test('an interrupted installation is repeated', async () => {
  await using clone = await freshClone()
  await mkdir(join(clone.dir, '.caelus/install.lock'), { recursive: true })
  const gone = spawn('true')
  await once(gone, 'close')
  await writeFile(join(clone.dir, '.caelus/install.lock/pid'), String(gone.pid))
  expect(await clone.run('hello.ts').ended).toMatchObject({ code: 7 })
})

test('signals reach the program, and its exit code comes back', async () => {
  await using clone = await freshClone()
  const { child, ended } = clone.run('wait.ts')
  await new Promise<void>((resolve) =>
    child.stdout?.on('data', (text: string) => text.includes('waiting') && resolve()),
  )
  child.kill('SIGTERM')
  expect((await ended).code).toBe(42)
})

test('a failed installation says what to do', async () => {
  await using clone = await freshClone()
  await rm(join(clone.dir, 'pinned'), { recursive: true })
  await writeFile(join(clone.dir, 'package-lock.json'), '{"lockfileVersion": 3, "packages": {}}')
  const { code, said } = await clone.run('hello.ts').ended
  expect(code).toBe(1)
  expect(said).toContain('caelus: failed to install the dependencies')
})
