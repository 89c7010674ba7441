import type { Config } from '../../config/index.ts'
import type { RuntimesSettings } from '../../domains/runtimes/index.ts'

/** The settings of the class runtime controller, from the configuration. */
export const runtimesSettings = (c: Config): RuntimesSettings => ({
  render: {
    profile: c.runtimesProfile,
    hpa: c.runtimesHpa ?? c.runtimesProfile !== 'dev',
    odgm: { image: c.runtimesOdgmImage, pullPolicy: c.runtimesOdgmPullPolicy },
    ...(c.runtimesOtlpEndpoint !== undefined && { otlpEndpoint: c.runtimesOtlpEndpoint }),
  },
  progressTimeoutMs: c.runtimesProgressTimeout,
  crashRecoveryMs: c.runtimesCrashRecovery,
  orphansPerMinute: c.runtimesOrphansPerMinute,
  nfr: {
    stabilityMs: c.runtimesStability,
    cooldownMs: c.runtimesCooldown,
    maxReplicas: c.runtimesMaxReplicas,
    maxReplicaDelta: c.runtimesMaxDelta,
    maxAgeMs: c.runtimesMaxAge,
    minConfidence: c.runtimesMinConfidence,
    budget: { changes: c.runtimesBudget, windowMs: c.runtimesBudgetWindow },
  },
})
