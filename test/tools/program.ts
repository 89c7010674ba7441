import { spawn } from 'node:child_process'
import type { SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Program {
  readonly pid: number
  /** The first line it writes. */
  readonly said: string
  /** As a crash would end it. */
  kill(): Promise<void>
}

/** Runs one of the programs beside this file until it has said something. */
export async function runProgram(name: string, args: readonly string[], options: SpawnOptions = {}): Promise<Program> {
  const file = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  let complaint = ''
  child.stderr.on('data', (chunk) => (complaint += chunk))
  const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended.then(() => undefined)])
  if (line === undefined) throw new Error(`${name} ended without a word:\n${complaint}`)
  return {
    pid: child.pid ?? 0,
    said: String(line[0]),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
