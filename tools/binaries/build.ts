import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { CATALOGUE } from './catalogue.ts'
import type { BinaryName } from './catalogue.ts'
import { versionOf } from './version.ts'

export const hasGo = async (): Promise<boolean> => (await versionOf('go', ['version'])) !== undefined

/** Compiles the pinned version to `target`. `onDetail` hears how far the compiler is. */
export async function build(name: BinaryName, target: string, onDetail: (detail: string) => void): Promise<void> {
  const { module, package: source, ldflags } = CATALOGUE[name]
  const args = ['build', '-v', '-trimpath', '-ldflags', ['-s -w', ...ldflags].join(' '), '-o', target, source]
  const go = spawn('go', args, {
    cwd: fileURLToPath(new URL(`./modules/${module}/`, import.meta.url)),
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(go, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>
  const counts = { downloaded: 0, compiled: 0 }
  const said: string[] = []
  for await (const line of createInterface({ input: go.stderr })) {
    if (line.startsWith('go: downloading')) counts.downloaded++
    else if (/^[\w./-]+$/.test(line)) counts.compiled++
    else said.push(line)
    onDetail(`${counts.downloaded} modules downloaded, ${counts.compiled} packages compiled`)
  }
  const [code, signal] = await exited
  if (code === 0) return
  throw new Error(
    `failed to build ${name} from ${source}: go ended with ${code ?? signal}\n${said.slice(-15).join('\n')}`,
  )
}
