import { boolean, claim, duration, key, text, url } from './kinds.ts'
import { insecureUrl, isLoopback } from './loopback.ts'
import { SERVER } from './server.ts'
import { section, type ValuesOf } from './section.ts'
import { optional, secret, variable } from './variable.ts'

const second = 1000
const minute = 60 * second

export const LOGIN = section({
  title: 'Login',
  readBy: '`up` and `api`',
  variables: {
    devLogin: optional(
      'CAELUS_DEV_LOGIN',
      boolean,
      'A login without password, answered on loopback only. On in `caelus up`, off elsewhere.',
    ),
    sessionKey: secret(
      'CAELUS_SESSION_KEY',
      key,
      'Encrypts session cookies and keys what is kept of requests with an Idempotency-Key; the same in all replicas. Without it sessions end with the process. Make one with `openssl rand -base64 32`.',
    ),
    sessionLifetime: variable(
      'CAELUS_SESSION_LIFETIME',
      duration(minute, 30 * 24 * 60 * minute),
      '12h',
      'How long a browser stays logged in.',
    ),
    oidcIssuer: optional(
      'CAELUS_OIDC_ISSUER',
      url('http', 'https'),
      'OpenID Connect issuer whose tokens are accepted. http only on loopback.',
    ),
    oidcAudience: optional(
      'CAELUS_OIDC_AUDIENCE',
      text,
      'Audience that bearer tokens must carry. Default: the client id.',
    ),
    oidcTokenType: optional(
      'CAELUS_OIDC_TOKEN_TYPE',
      text,
      'Type that the header of a bearer token must name, such as `at+jwt` (RFC 9068). Default: any, except tokens that look like ID tokens.',
    ),
    oidcTrustEmail: variable(
      'CAELUS_OIDC_TRUST_EMAIL',
      boolean,
      'false',
      'Whether an email without the claim `email_verified` counts as verified. Only for an issuer whose users cannot choose their email.',
    ),
    oidcClientId: optional('CAELUS_OIDC_CLIENT_ID', text, 'Client id for login in the browser (code flow with PKCE).'),
    oidcClientSecret: secret('CAELUS_OIDC_CLIENT_SECRET', text, 'Secret of that client; public clients have none.'),
    oidcScopes: variable('CAELUS_OIDC_SCOPES', text, 'openid profile email', 'Scopes asked for at login.'),
    oidcAdmin: optional(
      'CAELUS_OIDC_ADMIN',
      claim,
      'Claim that makes a user an admin, such as `groups=platform-team`. Without it admins are named in the database.',
    ),
  },
  check(own, config) {
    const { host } = config.of(SERVER)
    return [
      own.devLogin === true &&
        !isLoopback(host) &&
        `CAELUS_DEV_LOGIN (true) needs CAELUS_HOST (${host}) to be a loopback address such as 127.0.0.1: otherwise anyone on the network could log in`,
      own.oidcIssuer === undefined &&
        (own.oidcClientId ?? own.oidcAudience ?? own.oidcAdmin ?? own.oidcTokenType) !== undefined &&
        `CAELUS_OIDC_ISSUER is not set, but other CAELUS_OIDC_ variables are: set it, or unset them`,
      own.oidcIssuer !== undefined &&
        own.oidcAudience === undefined &&
        own.oidcClientId === undefined &&
        `CAELUS_OIDC_ISSUER (${own.oidcIssuer}) needs CAELUS_OIDC_AUDIENCE or CAELUS_OIDC_CLIENT_ID: tokens made for others would be accepted`,
      own.oidcClientSecret !== undefined &&
        own.oidcClientId === undefined &&
        `CAELUS_OIDC_CLIENT_SECRET is set, but CAELUS_OIDC_CLIENT_ID is not: set both`,
      insecureUrl('CAELUS_OIDC_ISSUER', own.oidcIssuer),
    ]
  },
})

export type Login = ValuesOf<typeof LOGIN>
