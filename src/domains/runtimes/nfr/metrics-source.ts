import { defineFailures } from '../../../kernel/index.ts'

/** One element of an instant vector. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Where measurements come from, asked in PromQL. */
export interface MetricsSource {
  /** The vector as it is now; elements that are no finite number are left out. Throws one of the failures below. */
  query(promql: string, signal: AbortSignal): Promise<readonly Sample[]>
}

export const raise = defineFailures({
  MetricsUnreachable: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'It is asked again by itself. If it stays, check the address of Prometheus and that it is up.',
  },
  MetricsTimedOut: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'It is asked again by itself. If it stays, make the named query cheaper or allow it more time.',
  },
  MetricsRefused: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Let us read: check the credentials in the address of Prometheus and what stands in front of it.',
  },
  MetricsQueryInvalid: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Correct the named query; it must answer with an instant vector by namespace and pod.',
  },
  MetricsTooLarge: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Narrow the named query down to the pods of functions, for example by a label.',
  },
})
