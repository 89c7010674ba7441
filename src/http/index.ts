export { collect, limited, Pace, type LeastPace } from './body.ts'
export { Deadline } from './deadline.ts'
export {
  failureOfError,
  failureOfStatus,
  HttpError,
  problemOf,
  problemOfStatus,
  type FailuresByProblem,
  type HttpProblem,
} from './errors.ts'
export { exchange, NO_OTHER_TIMEOUTS, type Answer, type HeaderMap } from './exchange.ts'
export { fetchUrl, openUrl, type OpenAnswer, type UrlAnswer, type UrlRequest } from './fetch-url.ts'
export { addressOf, type RedirectPolicy } from './redirects.ts'
export { LONGEST_RETRY_AFTER_MS, retryAfterIn, retryAfterOfSeconds } from './retry-after.ts'
export { HostBuckets, TokenBucket, type TokenBucketOptions } from './token-bucket.ts'
