/** One chart to be had from its source. */
export interface FetchRequest {
  readonly ref: string
  readonly version: string
  /** @default the archive */
  readonly what?: 'archive' | 'provenance'
  readonly maxBytes: number
  readonly signal: AbortSignal | undefined
}

export interface Fetched {
  /** Or the `.prov` file, if that was asked for. */
  readonly archive: Buffer
  /** The digest that the source itself gives for the archive. */
  readonly promised: string | undefined
}
