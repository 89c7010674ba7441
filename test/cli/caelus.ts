import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { builtProgram } from '../support/programs.ts'

const CHECKOUT = join(import.meta.dirname, '../../bin/caelus.mjs')

/** Commands that need the tools of a checkout, which a release lacks. */
const OF_CHECKOUT = new Set(['up', 'reset', 'control-plane'])

export const release = (): string => builtProgram('caelus')

const programOf = ([command = '']: readonly string[]): string => (OF_CHECKOUT.has(command) ? CHECKOUT : release())

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Running extends AsyncDisposable {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with the match once the process has written it, to either stream. */
  says(pattern: RegExp): Promise<RegExpExecArray>
}

/** A deadline ends a test that hangs; it does not measure speed. */
const SAYS_WITHIN_MS = 150_000

/** Where the binaries of this machine are; without them a command would build them. */
const LOCATIONS = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'CAELUS_CACHE_DIR', 'KUBEBUILDER_ASSETS', 'HELM_BIN']

/** Starts a command of the release, or of the checkout where it needs tools, with `env` and nothing else of our environment. */
export function start(args: readonly string[], env: Record<string, string> = {}, program = programOf(args)): Running {
  const locations = Object.fromEntries(
    LOCATIONS.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  )
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...locations, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  const news = new EventTarget()
  const hear = (): boolean => news.dispatchEvent(new Event('news'))
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((out += text), hear()))
  child.stderr.setEncoding('utf8').on('data', (text: string) => ((err += text), hear()))
  let hasEnded = false
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true
    hear()
    return { code: code as number | null, out, err }
  })
  return {
    child,
    ended,
    async says(pattern) {
      const deadline = AbortSignal.timeout(SAYS_WITHIN_MS)
      for (;;) {
        const found = pattern.exec(out) ?? pattern.exec(err)
        if (found !== null) return found
        if (hasEnded || deadline.aborted) throw new Error(`it never said ${pattern}, but:\n${out}${err}`)
        await Promise.race([once(news, 'news'), once(deadline, 'abort')])
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** However it ends. */
export const caelus = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  start(args, env).ended

/** What it printed; one that fails fails the test, and is heard. */
export async function printed(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { code, out, err } = await caelus(args, env)
  if (code !== 0) throw new Error(`caelus ${args.join(' ')} ended with ${code}:\n${out}${err}`)
  return out
}
