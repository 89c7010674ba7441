/** One chart to be had from its source. */
export interface FetchRequest {
  readonly ref: string
  readonly version: string
  readonly maxBytes: number
  readonly signal: AbortSignal | undefined
}

export interface Fetched {
  readonly archive: Buffer
  /** The digest that the source itself gives for the archive. */
  readonly promised: string | undefined
}
