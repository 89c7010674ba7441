/** One step of a long preparation. */
export interface Step {
  /** "building kube-apiserver", "starting etcd". */
  readonly what: string
  /** Its position among all steps, where they can be counted. */
  readonly nth?: number
  readonly of?: number
  readonly elapsedMs: number
  /** Progress inside of the step: "412 packages compiled". */
  readonly detail?: string
}

/** Called when a step changes, at most a few times per second. */
export type OnProgress = (step: Step) => void

/** "building kube-apiserver 1.35.4 (2 of 7, 14 s): 412 packages compiled" */
export function progressLine({ what, nth, of, elapsedMs, detail }: Step): string {
  const seconds = `${Math.round(elapsedMs / 1000)} s`
  const position = nth === undefined || of === undefined ? seconds : `${nth} of ${of}, ${seconds}`
  return `${what} (${position})${detail === undefined ? '' : `: ${detail}`}`
}
