import { sleep, systemClock, type Clock } from '../../kernel/index.ts'
import { raise } from '../errors.ts'
import type { KubeRequest, KubeResponse, Transport } from './transport.ts'

/** A fault of one call between client and server. */
export type Fault =
  /** The request never arrives. */
  | { readonly fault: 'lost' }
  /** The request is carried out, and its answer never arrives. The caller cannot tell it from `lost`. */
  | { readonly fault: 'unanswered' }
  /** The request arrives twice, as from a proxy that retries. The caller gets the second answer. */
  | { readonly fault: 'twice' }
  | { readonly fault: 'late'; readonly ms: number }
  /** The server answers with this status and changes nothing. */
  | {
      readonly fault: 'refused'
      readonly status: number
      readonly reason?: string
      readonly retryAfterSeconds?: number
    }
  /** A stream breaks after this many lines. */
  | { readonly fault: 'cut'; readonly afterLines: number }

/** Called once for each request, in order. */
export type FaultPlan = (request: KubeRequest) => Fault | undefined

/** A transport with injected faults. A fault that does not apply to a request is ignored. */
export function withFaults(inner: Transport, plan: FaultPlan, clock: Clock = systemClock): Transport {
  return {
    async send(request) {
      const fault = plan(request)
      switch (fault?.fault) {
        case 'lost':
          throw unreachable(request, 'connection reset')
        case 'unanswered':
          await inner.send(request)
          throw unreachable(request, 'connection reset before the answer')
        case 'twice':
          await inner.send(request)
          return inner.send(request)
        case 'late':
          await sleep(clock, fault.ms, request.signal)
          return inner.send(request)
        case 'refused':
          return refusal(fault)
        case 'cut':
        case undefined:
          return inner.send(request)
        default:
          return fault satisfies never
      }
    },
    async *stream(request) {
      const fault = plan(request)
      if (fault?.fault === 'lost') throw unreachable(request, 'connection reset')
      if (fault?.fault === 'late') await sleep(clock, fault.ms, request.signal)
      let lines = fault?.fault === 'cut' ? fault.afterLines : Number.POSITIVE_INFINITY
      if (lines === 0) throw unreachable(request, 'connection reset')
      for await (const line of inner.stream(request)) {
        yield line
        if (--lines <= 0) throw unreachable(request, 'connection reset in the middle of the stream')
      }
    },
  }
}

const unreachable = ({ method, path }: KubeRequest, why: string) =>
  raise.KubeUnreachable(`failed to ${method} ${path}: ${why}`)

function refusal({ status, reason = '', retryAfterSeconds }: Extract<Fault, { fault: 'refused' }>): KubeResponse {
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return {
    status,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: status,
      reason,
      message: `injected ${status}`,
      details,
    },
  }
}
