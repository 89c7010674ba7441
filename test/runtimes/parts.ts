import {
  runtimesController,
  type RuntimesController,
  type RuntimesControllerEvents,
  type RuntimesControllerOptions,
  type RuntimesSettings,
} from '../../src/domains/runtimes/index.ts'
import { decisionLog, createEmitter, systemClock, type DecisionRecord, type Emitter } from '../../src/kernel/index.ts'
import { observed, type RequestEvents, type Transport } from '../../src/kube/index.ts'

export type ToldHere = RuntimesControllerEvents & RequestEvents

/** As an installation would have them, but for the times, which no test has. */
export const SETTINGS: RuntimesSettings = {
  render: { profile: 'full', hpa: false, odgm: { image: 'registry.example/odgm:1', pullPolicy: 'IfNotPresent' } },
  progressTimeoutMs: 600_000,
  crashRecoveryMs: 60_000,
  orphansPerMinute: 1_000,
  nfr: {
    stabilityMs: 0,
    cooldownMs: 0,
    maxReplicas: 20,
    maxReplicaDelta: 30,
    maxAgeMs: 600_000,
    minConfidence: 0.5,
    budget: { changes: 1_000, windowMs: 60_000 },
  },
}

export interface OpenController extends RuntimesController {
  readonly told: Emitter<ToldHere>
  /** Oldest first. */
  readonly decided: readonly DecisionRecord[]
}

export type ControllerInput = Partial<Omit<RuntimesControllerOptions, 'happenings' | 'decisions'>>

/** A controller on real parts that tells what it asks of the API server. */
export function openController(transport: Transport, input: ControllerInput = {}): OpenController {
  const told = createEmitter<ToldHere>()
  const decisions = decisionLog()
  const decided: DecisionRecord[] = []
  decisions.onAdd((record) => decided.push(record))
  const made = runtimesController({
    transport: observed(transport, told),
    settings: SETTINGS,
    clock: systemClock,
    random: Math.random,
    instance: 'here',
    stopGraceMs: 500,
    emitter: told,
    decisions,
    ...input,
  })
  return { ...made, told, decided }
}
