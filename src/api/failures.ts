import { defineFailures, refuse, type Failure } from '../kernel/index.ts'

const ofTheDoor = defineFailures({
  NotSignedIn: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Log in, or send a valid token as Authorization: Bearer.',
  },
  ForeignOrigin: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Do it from the console itself, or use an API token instead of the browser session.',
  },
  LoginFailed: { whoseMove: 'user', retryable: true, nextStep: 'Start the login again from the console.' },
  LoginUnavailable: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Check that the OpenID Connect issuer is reachable from the server and that CAELUS_OIDC_ISSUER is right.',
  },
  TooLarge: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Send less, or ask the operator to raise CAELUS_BODY_LIMIT.',
  },
  UnsupportedMediaType: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Send JSON with Content-Type: application/json.',
  },
  TooManyRequests: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Wait as long as Retry-After says, then send it again.',
  },
  IdempotencyKeyReused: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Use a new Idempotency-Key for a different request.',
  },
  StillRunning: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'The first request with this Idempotency-Key is still being answered; send it again in a moment.',
  },
  Stopping: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Send it again: another replica answers, or this one after its start.',
  },
  Internal: {
    whoseMove: 'operator',
    retryable: true,
    nextStep:
      'Try again. If the problem persists, give the request id to the operator: the log has the cause under this id.',
  },
})

export const raise = { ...refuse, ...ofTheDoor }

const STATUS: Readonly<Record<string, number>> = {
  InvalidRequest: 400,
  NotSignedIn: 401,
  NotAllowed: 403,
  ForeignOrigin: 403,
  LoginFailed: 401,
  LoginUnavailable: 503,
  NotFound: 404,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  ChangedMeanwhile: 412,
  IdempotencyKeyReused: 422,
  StillRunning: 409,
  Stopping: 503,
  Internal: 500,
  // Whoever publishes a chart is the operator whose move it is: to them it is their input that is refused.
  ChartMissing: 422,
  ChartForbidden: 422,
  ChartInvalid: 422,
  DigestMismatch: 422,
  TemplateBroken: 422,
  TemplateNotOrderable: 422,
  KindUnknown: 422,
  ChartUnreachable: 502,
  ClusterBeingDeleted: 409,
  ClusterInUse: 409,
  ClusterLimit: 409,
  ClusterNameTaken: 409,
  ClusterNotReady: 409,
  ClusterHibernated: 409,
  RetryNeeded: 409,
  RotationNotDue: 409,
  OperationPending: 409,
  GardenerUnreachable: 503,
  TooManyPreviews: 429,
  PreviewsBusy: 503,
  PreviewTooSlow: 504,
  UpgradeNotAllowed: 403,
  BeingDeleted: 409,
  DomainTaken: 409,
  DomainOwned: 409,
  TenantLimit: 409,
  EmailTaken: 409,
  JobDone: 409,
  NameTaken: 409,
  RuntimeBeingDeleted: 409,
  RuntimeExists: 409,
  RuntimesUnseen: 503,
  TemplateExists: 409,
  TemplateInUse: 409,
  UserInUse: 409,
  InvitationInvalid: 404,
  LastAdmin: 409,
  LastOwner: 409,
  MemberExists: 409,
  OrganizationInUse: 409,
  OrganizationNameTaken: 409,
}

/** A failure of a domain has no status of its own: whose move it is decides. */
const STATUS_BY_MOVER = { user: 422, operator: 500, platform: 503, provider: 502 } as const

export const statusOf = ({ code, whoseMove }: Pick<Failure, 'code' | 'whoseMove'>): number =>
  STATUS[code] ?? STATUS_BY_MOVER[whoseMove]
