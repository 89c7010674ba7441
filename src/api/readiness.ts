import { messageOf, type Clock } from '../kernel/index.ts'
import type { ReadinessView } from './contract/index.ts'

export interface Check {
  readonly name: string
  /** Whether the process is of no use without it. */
  readonly required: boolean
  /** Resolves if it is well, with a word about it. */
  readonly probe: (signal: AbortSignal) => Promise<string>
}

export interface Readiness {
  view(): Promise<ReadinessView>
  /** Reports not ready from now on, so that load balancers stop sending requests. */
  stopping(): void
}

const TIMEOUT_MS = 2_000
/** Younger answers are given again: probing often must not become a load of its own. */
const FRESH_MS = 1_000

interface Finding {
  readonly ok: boolean
  readonly message: string
  readonly at: number
}

export function readiness(checks: () => readonly Check[], clock: Clock, scrub: (text: string) => string): Readiness {
  const findings = new Map<string, Finding>()
  const running = new Map<string, Promise<Finding>>()
  let isStopping = false

  const look = async ({ name, probe }: Check): Promise<Finding> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), { once: true })
    })
    const finding = await Promise.race([probe(signal), late]).then(
      (message) => ({ ok: true, message, at: clock.now() }),
      (error: unknown) => ({ ok: false, message: scrub(messageOf(error)), at: clock.now() }),
    )
    findings.set(name, finding)
    running.delete(name)
    return finding
  }
  const latest = (check: Check): Promise<Finding> => {
    const known = findings.get(check.name)
    if (known !== undefined && clock.now() - known.at < FRESH_MS) return Promise.resolve(known)
    const under = running.get(check.name) ?? look(check)
    running.set(check.name, under)
    return under
  }

  return {
    stopping() {
      isStopping = true
    },
    async view() {
      const found = await Promise.all(
        checks().map(async (check) => {
          const { ok, message, at } = await latest(check)
          return { name: check.name, ok, required: check.required, message, age_ms: clock.now() - at }
        }),
      )
      const failing = found.some(({ ok, required }) => required && !ok)
      return { status: isStopping ? 'stopping' : failing ? 'failing' : 'ok', checks: found }
    },
  }
}
