import type { RenderSettings } from './templates/template.ts'

export interface NfrSettings {
  /** How long a target must stay within its band before it is put into effect. @default 180_000 */
  readonly stabilityMs: number
  /** How long after a change the next one may come. @default 120_000 */
  readonly cooldownMs: number
  readonly maxReplicas: number
  /** The largest step in replicas at once. */
  readonly maxReplicaDelta: number
  /** Recommendations older than this are ignored. */
  readonly maxAgeMs: number
  /** Below this confidence memory and cpu are left alone. */
  readonly minConfidence: number
  /** Changes in the whole control plane that are allowed within a window. */
  readonly budget: { readonly changes: number; readonly windowMs: number }
}

export interface RuntimesSettings {
  readonly render: RenderSettings
  /** Progressing for longer than this is degraded. @default 600_000 */
  readonly progressTimeoutMs: number
  /** A container that crashed counts as recovered once it has run this long. @default 60_000 */
  readonly crashRecoveryMs: number
  /** Deletions of orphans in the whole control plane that are allowed within a minute. */
  readonly orphansPerMinute: number
  readonly nfr: NfrSettings
}
