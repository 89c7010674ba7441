import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lock, ownIdentity } from '../../tools/process/index.ts'
import { freshFolder } from './folder.ts'
import { runProgram } from './program.ts'

test('a lock held by another process is refused, naming the holder', async () => {
  const path = join(await freshFolder(), 'a.lock')
  const holder = await runProgram('hold-lock', [path])
  await expect(lock(path)).rejects.toThrow(`held by process ${holder.pid}`)
})

test('the lock of a process that was killed is taken over', async () => {
  const path = join(await freshFolder(), 'a.lock')
  const holder = await runProgram('hold-lock', [path])
  await holder.kill()
  const unlock = await lock(path)
  await unlock()
})

test('a pid that now means another process does not hold the lock', async () => {
  const path = join(await freshFolder(), 'a.lock')
  await writeFile(path, JSON.stringify({ ...ownIdentity(), startedAt: 'long ago' }))
  await (
    await lock(path)
  )()
})

test('a waiting process learns the holder again every second', async () => {
  const path = join(await freshFolder(), 'a.lock')
  const holder = await runProgram('hold-lock', [path])
  const told: number[] = []
  const twice = Promise.withResolvers<void>()
  const onWait = ({ pid }: { readonly pid: number }): void => {
    if (told.push(pid) === 2) twice.resolve()
  }
  const abort = new AbortController()
  const waiting = lock(path, { waitMs: 60_000, signal: abort.signal, onWait })
  await twice.promise
  abort.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow()
  expect(new Set(told)).toEqual(new Set([holder.pid]))
})

test('one of many holds it at a time, and nothing is left', async () => {
  const folder = await freshFolder()
  const path = join(folder, 'a.lock')
  let inside = 0
  let most = 0
  const worker = async (): Promise<void> => {
    const unlock = await lock(path, { waitMs: 20_000 })
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside--
    await unlock()
  }
  await Promise.all(Array.from({ length: 10 }, worker))
  expect(most).toBe(1)
  expect(await readdir(folder)).toEqual([])
})
