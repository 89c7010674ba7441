import type { RuntimesConfig } from '../../config/runtimes.ts'
import type { RuntimesSettings } from '../../domains/runtimes/index.ts'

/** The settings of the class runtime controller, from the configuration. */
export const runtimesSettings = (c: RuntimesConfig): RuntimesSettings => ({
  render: {
    profile: c.profile,
    hpa: c.hpa ?? c.profile !== 'dev',
    odgm: { image: c.odgmImage, pullPolicy: c.odgmPullPolicy },
    ...(c.otlpEndpoint !== undefined && { otlpEndpoint: c.otlpEndpoint }),
  },
  progressTimeoutMs: c.progressTimeout,
  crashRecoveryMs: c.crashRecovery,
  orphansPerMinute: c.orphansPerMinute,
  nfr: {
    stabilityMs: c.stability,
    cooldownMs: c.cooldown,
    maxReplicas: c.maxReplicas,
    maxReplicaDelta: c.maxDelta,
    maxAgeMs: c.maxAge,
    minConfidence: c.minConfidence,
    budget: { changes: c.budget, windowMs: c.budgetWindow },
  },
})
