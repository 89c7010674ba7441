import { sameValue, type Clock } from '../../kernel/index.ts'
import { raise } from '../errors.ts'
import { kubeConfigFrom, type KubeConfig } from './config.ts'
import type { Credentials, CredentialSource } from './credentials.ts'

/** A kubeconfig whose credentials end. */
export interface EndingKubeconfig {
  readonly kubeconfig: string
  readonly expiresAt: number
  /** @default when `obtain` was called */
  readonly madeAt?: number
}

/** Rejects a call of `obtain`: the last kubeconfig is too young to be replaced. What was wrong before still is. */
export class NotRenewedYet extends Error {
  override readonly name = 'NotRenewedYet'
}

export interface RenewedConfigOptions {
  /** Names the server in errors: `of cluster shop`. */
  readonly of: string
  /** Answers with a new one. Called again before the one before has ended. */
  readonly obtain: () => Promise<EndingKubeconfig>
  /** A new one names another server or another authority. The config is of no use any more. */
  readonly onMoved: () => void
  readonly clock: Clock
}

/** The share of a life after which credentials are renewed. What is left is the time in which renewing may fail. */
export const RENEW_AFTER = 0.8
/** Between two attempts to renew, and the age below which refused credentials are not renewed; a tenth of a shorter life. */
const PAUSE_MS = 10_000

interface Obtained {
  readonly config: KubeConfig
  readonly credentials: Credentials
  readonly at: number
  readonly expiresAt: number
}

export interface RenewedConfig {
  readonly config: KubeConfig
  /** Asks for new credentials now: a server that does not answer may have moved. */
  readonly renew: () => Promise<void>
}

/**
 * A config whose credentials are renewed before they end, and when the server refuses them. Requests go on with the present
 * ones while new ones are obtained. The kubeconfig is held in memory alone.
 */
export async function renewedConfig(options: RenewedConfigOptions): Promise<RenewedConfig> {
  const first = await obtained(options)
  const { renew, ...credentials } = renewedCredentials(first, options)
  return { config: { ...first.config, credentials }, renew }
}

async function obtained({ of, obtain, clock }: RenewedConfigOptions): Promise<Obtained> {
  const now = clock.now()
  const { kubeconfig, expiresAt, madeAt = now } = await obtain()
  const config = await kubeConfigFrom(kubeconfig, of, clock)
  return { config, credentials: await config.credentials.current(), at: madeAt, expiresAt }
}

function renewedCredentials(
  first: Obtained,
  options: RenewedConfigOptions,
): CredentialSource & Pick<RenewedConfig, 'renew'> {
  const { clock, of } = options
  let present = first
  let isRefused = false
  let hasMoved = false
  let renewing: Promise<void> | undefined
  let failed: { readonly at: number; readonly error: unknown } | undefined
  /** Why the last attempt to renew has failed. */
  let reason: unknown
  const pauseMs = (): number => Math.min(PAUSE_MS, (present.expiresAt - present.at) / 10)

  const renew = async (): Promise<void> => {
    const next = await obtained(options)
    hasMoved = !sameValue(placeOf(next.config), placeOf(first.config))
    if (hasMoved) return options.onMoved()
    present = next
    isRefused = false
    reason = undefined
  }
  /** Rejects without asking for a while after a failure. */
  const renewOnce = (): Promise<void> => {
    if (failed !== undefined && clock.now() < failed.at + pauseMs()) return Promise.reject(failed.error)
    failed = undefined
    renewing ??= renew()
      .catch((error: unknown) => {
        if (!(error instanceof NotRenewedYet)) reason = error
        failed = { at: clock.now(), error: reason ?? tooYoung(of) }
        throw failed.error
      })
      .finally(() => (renewing = undefined))
    return renewing
  }

  return {
    kind: `renewed ${first.config.credentials.kind}`,
    renew: async () => {
      if (!hasMoved) await renewOnce()
    },
    async current() {
      const now = clock.now()
      const isOver = isRefused || now >= present.expiresAt
      const isDue = now >= present.at + RENEW_AFTER * (present.expiresAt - present.at)
      if (isOver && !hasMoved) await renewOnce()
      else if (isDue && !hasMoved) renewOnce().catch(() => {})
      // They must not be sent to a server that they were not made for.
      if (hasMoved) throw raise.KubeUnreachable(`failed to use kubeconfig ${of}: its server has moved`)
      return present.credentials
    },
    refused(refused) {
      if (refused !== present.credentials) return true
      if (clock.now() < present.at + pauseMs()) return false
      isRefused = true
      return true
    },
  }
}

const tooYoung = (of: string): Error =>
  raise.KubeUnreachable(
    `failed to use kubeconfig ${of}: its server does not accept it, and new ones are asked for at growing intervals`,
  )

const placeOf = ({ server, tls: { ca, serverName, insecure }, proxyUrl }: KubeConfig) => ({
  server,
  ca,
  serverName,
  insecure,
  proxyUrl,
})
