import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { helmCli } from '../../../src/domains/apps/helm/index.ts'
import { builtProgram } from '../../support/programs.ts'

test('what a killed process had written for Helm goes when the next one starts', async () => {
  const { options, call, written, start } = await scene()
  const [first, second] = [await call('first'), await call('second')]
  expect(await written()).toHaveLength(2)
  await first.kill()
  expect(await written()).toHaveLength(2)

  await start()
  const [left = '', ...more] = await written()
  expect(more).toEqual([])
  expect(left).toContain(`-${second.pid}-`)
  // Whoever finds it finds no credentials: the session that the address belongs to ended with its process.
  const { clusters, users } = JSON.parse(await readFile(join(options.tempDir, left, 'kubeconfig'), 'utf8')) as {
    clusters: unknown
    users?: unknown
  }
  expect(clusters).toEqual([{ name: 'api', cluster: { server: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) } }])
  expect(users).toBe(undefined)

  await second.kill()
  await start()
  expect(await written()).toEqual([])
})

/** A folder for calls, and a Helm that takes its time. */
async function scene() {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-killed-test-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const binary = join(dir, 'slow-helm')
  const script = `#!/bin/sh\n[ "$1" = version ] && echo v4.3.1 && exit\necho $$ > "$STARTED"\nexec sleep 600\n`
  await writeFile(binary, script, { mode: 0o755 })
  const options = { binary, kubeconfig: inject('kubeconfig'), home: join(dir, 'home'), tempDir: dir }

  /** A process in the middle of a call; the Helm that it started outlives it. */
  async function call(name: string) {
    const started = join(dir, name)
    const env = { PATH: '/usr/bin:/bin', STARTED: started }
    const place = JSON.stringify({ ...options, env })
    const child = spawn(process.execPath, [builtProgram('test/apps/helm/helm-process'), place], { stdio: 'inherit' })
    const gone = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await gone
      process.kill(Number(await readFile(started, 'utf8')), 'SIGKILL')
    })
    await expect.poll(() => readFile(started, 'utf8').catch(() => '')).toMatch(/\d+\n/)
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL')
      await gone
    }
    return { pid: child.pid, kill }
  }

  return {
    options,
    call,
    written: async () => (await readdir(dir)).filter((name) => name.startsWith('caelus-helm-')),
    start: () => helmCli({ ...options, kinds: { resourceFor: async () => undefined } }).version(),
  }
}
