export { collect, MinimumRate } from './body.ts'
export { Deadline } from './deadline.ts'
export {
  failureOfError,
  failureOfStatus,
  HttpError,
  problemOfStatus,
  type FailuresByProblem,
  type HttpProblem,
} from './errors.ts'
export { exchange, NO_OTHER_TIMEOUTS, type Answer, type AnswerWatch, type HeaderMap } from './exchange.ts'
export { fetchUrl, openUrl, type UrlAnswer, type UrlRequest } from './fetch-url.ts'
export { addressOf } from './redirects.ts'
export { retryAfterIn, retryAfterOfSeconds } from './retry-after.ts'
export { HostBuckets, type TokenBucketOptions } from './token-bucket.ts'
