/** In two phases: both credentials are valid once it is prepared, until it is completed. */
interface PhasedRotation {
  readonly phase?: string
  readonly lastInitiationTime?: string
  readonly lastInitiationFinishedTime?: string | null
  readonly lastCompletionTriggeredTime?: string | null
  readonly lastCompletionTime?: string
  /** Of the key of etcd alone. */
  readonly autoCompleteAfterPrepared?: boolean | null
}

/** In one step. */
interface PlainRotation {
  readonly lastInitiationTime?: string
  readonly lastCompletionTime?: string
}

type Phased = 'certificateAuthorities' | 'serviceAccountKey' | 'etcdEncryptionKey'
type Plain = 'observability' | 'sshKeypair'

/** The rotation in the status of a Shoot. */
export type Rotation = { readonly [Part in Phased]?: PhasedRotation } & { readonly [Part in Plain]?: PlainRotation }

interface Change {
  readonly begins?: readonly Phased[]
  readonly completes?: readonly Phased[]
  readonly renews?: readonly Plain[]
}

/** What the values of the annotation `gardener.cloud/operation` rotate. */
const CHANGES: Readonly<Record<string, Change>> = {
  'rotate-credentials-start': {
    begins: ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey'],
    renews: ['observability', 'sshKeypair'],
  },
  'rotate-credentials-complete': { completes: ['certificateAuthorities', 'serviceAccountKey'] },
  'rotate-ca-start': { begins: ['certificateAuthorities'] },
  'rotate-ca-complete': { completes: ['certificateAuthorities'] },
  'rotate-serviceaccount-key-start': { begins: ['serviceAccountKey'] },
  'rotate-serviceaccount-key-complete': { completes: ['serviceAccountKey'] },
  'rotate-etcd-encryption-key': { begins: ['etcdEncryptionKey'] },
  'rotate-observability-credentials': { renews: ['observability'] },
  'rotate-ssh-keypair': { renews: ['sshKeypair'] },
}

const operationsIn = (annotation: string | undefined): readonly string[] =>
  annotation === undefined ? [] : annotation.split(';')

/** The operations of an annotation that gardenlet takes, and removes when it has begun them. */
export const rotationsIn = (annotation: string | undefined): readonly string[] =>
  operationsIn(annotation).filter((operation) => operation in CHANGES)

/** The annotation without the rotations. Null: nothing is left. */
export function withoutRotations(annotation: string | undefined): string | null {
  const left = operationsIn(annotation).filter((operation) => !(operation in CHANGES))
  return left.length === 0 ? null : left.join(';')
}

/** Whether the status says that these have begun and are not over. */
export const areBegun = (rotation: Rotation, operations: readonly string[]): boolean =>
  operations.every((operation) => {
    const { begins = [], completes = [], renews = [] } = CHANGES[operation] ?? {}
    return (
      begins.every((what) => rotation[what]?.phase === 'Preparing') &&
      completes.every((what) => rotation[what]?.phase === 'Completing') &&
      renews.every((what) => isRenewing(rotation[what]))
    )
  })

const isRenewing = ({ lastInitiationTime = '', lastCompletionTime = '' }: PlainRotation = {}): boolean =>
  lastInitiationTime > lastCompletionTime

/** The state with which an operation begins. What is not asked for stays, but a prepared key of etcd completes itself. */
export function rotationAtStart(old: Rotation, operations: readonly string[], now: string): Rotation {
  const changes = operations.map((operation) => CHANGES[operation] ?? {})
  const begins = changes.flatMap((change) => change.begins ?? [])
  const completes = changes.flatMap((change) => change.completes ?? [])
  if (old.etcdEncryptionKey?.phase === 'Prepared') completes.push('etcdEncryptionKey')
  const renews = changes.flatMap((change) => change.renews ?? [])
  if (begins.length + completes.length + renews.length === 0) return old
  return {
    ...old,
    ...Object.fromEntries(completes.map((what) => [what, completing(old[what], now)])),
    ...Object.fromEntries(begins.map((what) => [what, preparing(old[what], now, what === 'etcdEncryptionKey')])),
    ...Object.fromEntries(renews.map((what) => [what, { ...old[what], lastInitiationTime: now }])),
  }
}

const preparing = (old: PhasedRotation | undefined, now: string, completesItself: boolean): PhasedRotation => ({
  ...old,
  phase: 'Preparing',
  lastInitiationTime: now,
  lastInitiationFinishedTime: null,
  lastCompletionTriggeredTime: null,
  ...(completesItself && { autoCompleteAfterPrepared: true }),
})

const completing = (old: PhasedRotation | undefined, now: string): PhasedRotation => ({
  ...old,
  phase: 'Completing',
  lastCompletionTriggeredTime: now,
})

/** The state when the operation has succeeded. */
export function rotationAtEnd(old: Rotation, now: string): Rotation {
  const { certificateAuthorities, serviceAccountKey, etcdEncryptionKey, observability, sshKeypair } = old
  return {
    ...(certificateAuthorities && { certificateAuthorities: phaseDone(certificateAuthorities, now) }),
    ...(serviceAccountKey && { serviceAccountKey: phaseDone(serviceAccountKey, now) }),
    ...(etcdEncryptionKey && { etcdEncryptionKey: phaseDone(etcdEncryptionKey, now) }),
    ...(observability && { observability: renewed(observability, now) }),
    ...(sshKeypair && { sshKeypair: renewed(sshKeypair, now) }),
  }
}

function phaseDone(old: PhasedRotation, now: string): PhasedRotation {
  if (old.phase === 'Preparing') return { ...old, phase: 'Prepared', lastInitiationFinishedTime: now }
  if (old.phase !== 'Completing') return old
  return {
    ...old,
    phase: 'Completed',
    lastCompletionTime: now,
    lastInitiationFinishedTime: null,
    lastCompletionTriggeredTime: null,
    ...(old.autoCompleteAfterPrepared && { autoCompleteAfterPrepared: null }),
  }
}

const renewed = (old: PlainRotation, now: string): PlainRotation =>
  isRenewing(old) ? { ...old, lastCompletionTime: now } : old
