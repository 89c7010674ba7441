/** One step of something that takes long enough for people to wonder. */
export interface Step {
  /** "building kube-apiserver", "starting etcd". */
  readonly what: string
  /** The how-manieth of how many, where steps can be counted. */
  readonly nth?: number
  readonly of?: number
  readonly elapsedMs: number
  /** What is going on inside the step: "412 packages compiled". */
  readonly detail?: string
}

/** Called whenever there is something new to show, at most a few times per second. */
export type OnProgress = (step: Step) => void

/** "building kube-apiserver 1.35.4 (2 of 7, 14 s): 412 packages compiled" */
export function progressLine({ what, nth, of, elapsedMs, detail }: Step): string {
  const seconds = `${Math.round(elapsedMs / 1000)} s`
  const position = nth === undefined || of === undefined ? seconds : `${nth} of ${of}, ${seconds}`
  return `${what} (${position})${detail === undefined ? '' : `: ${detail}`}`
}
