import { createRemoteJWKSet, errors as joseErrors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  discovery,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
  AuthorizationResponseError,
  type Configuration,
} from 'openid-client'
import { messageOf } from '../../kernel/index.ts'
import { raise } from '../failures.ts'
import type { Profile } from '../../identity/index.ts'
import type { LoginTrip } from './session.ts'

export interface OidcOptions {
  readonly issuer: string
  /** What bearer tokens must be made for. @default the client id */
  readonly audience: string
  /** Absent: tokens are accepted, but browser logins are not offered. */
  readonly client?: { readonly id: string; readonly secret?: string; readonly scopes: string }
  /** The claim that makes an admin. */
  readonly admin?: { readonly claim: string; readonly value: string }
  /** Emails without the claim `email_verified` count as verified. @default false */
  readonly trustsEmail?: boolean
  /** The type that the header of a bearer token must name, such as `at+jwt`. @default any, but no ID tokens */
  readonly tokenType?: string
}

export interface Oidc {
  readonly canLogIn: boolean
  /** Of a token sent as Authorization: Bearer. */
  profileOf(bearer: string): Promise<Profile>
  /** Where to send the browser, and what to remember until it comes back. */
  begin(redirectUri: string, returnTo: string): Promise<{ readonly url: string; readonly trip: LoginTrip }>
  /** `cameBackTo` is the whole URL with the issuer's answer. */
  finish(cameBackTo: URL, trip: LoginTrip): Promise<Profile>
}

/** Signatures that need no secret of ours; `none` and HMAC are not among them. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

interface Issuer {
  readonly config: Configuration
  readonly keys: JWTVerifyGetKey
  readonly name: string
}

/** The issuer is asked about itself at the first need and again after a failure, so that it may start later than we do. */
export function oidc(options: OidcOptions): Oidc {
  const { issuer, audience, client, admin, tokenType } = options
  let known: Promise<Issuer> | undefined
  const discover = async (): Promise<Issuer> => {
    const authentication = client?.secret === undefined ? None() : ClientSecretPost(client.secret)
    const insecure = issuer.startsWith('http:') ? { execute: [allowInsecureRequests] } : {}
    const config = await discovery(new URL(issuer), client?.id ?? audience, undefined, authentication, {
      timeout: 10,
      ...insecure,
    })
    const metadata = config.serverMetadata()
    if (metadata.jwks_uri === undefined) throw new Error(`issuer ${issuer} publishes no jwks_uri`)
    return { config, keys: createRemoteJWKSet(new URL(metadata.jwks_uri)), name: metadata.issuer }
  }
  const ready = (): Promise<Issuer> => {
    known ??= discover().catch((cause: unknown) => {
      known = undefined
      throw raise.LoginUnavailable(`failed to reach the OpenID Connect issuer ${issuer}`, { cause })
    })
    return known
  }

  const toProfile = (claims: JWTPayload, name: string): Profile => {
    if (claims.sub === undefined) throw raise.NotSignedIn('the token has no sub claim')
    return { subject: `${name}#${claims.sub}`, ...emailOf(claims, options), role: roleOf(claims, admin) }
  }

  return {
    canLogIn: client !== undefined,
    async profileOf(bearer) {
      const { keys, name } = await ready()
      const { payload } = await jwtVerify(bearer, keys, {
        issuer: name,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: 10,
        ...(tokenType !== undefined && { typ: tokenType }),
      }).catch((cause: unknown) => {
        if (isRefused(cause)) throw raise.NotSignedIn(`the bearer token is not valid: ${messageOf(cause)}`, { cause })
        throw raise.LoginUnavailable(`failed to read the keys of ${issuer}`, { cause })
      })
      if (tokenType === undefined && isIdToken(payload))
        throw raise.NotSignedIn('the bearer token is an ID token: send an access token, or an API token of Caelus')
      return toProfile(payload, name)
    },
    async begin(redirectUri, returnTo) {
      const { config } = await ready()
      const verifier = randomPKCECodeVerifier()
      const trip = { state: randomState(), nonce: randomNonce(), verifier, returnTo }
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: client?.scopes ?? 'openid',
        state: trip.state,
        nonce: trip.nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, trip }
    },
    async finish(cameBackTo, { verifier, state, nonce }) {
      const { config, name } = await ready()
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
      const tokens = await authorizationCodeGrant(config, cameBackTo, checks).catch((cause: unknown) => {
        const said =
          cause instanceof ResponseBodyError || cause instanceof AuthorizationResponseError ? `: ${cause.error}` : ''
        throw raise.LoginFailed(`the issuer did not confirm the login${said}`, { cause })
      })
      const profile = toProfile(tokens.claims() ?? {}, name)
      // Issuers leave the claim out for a user without groups.
      return { ...profile, role: profile.role ?? (admin && 'member') }
    },
  }
}

/**
 * Only the claim `email`, and only if the issuer verified it, is an email: with one, a login takes over a user that an
 * admin created, and accepts invitations. A program without one goes by its name, which people may choose themselves and
 * so must not look like an email.
 */
function emailOf(claims: JWTPayload, { trustsEmail }: OidcOptions): Pick<Profile, 'email' | 'isVerified'> {
  const { email, email_verified: proof } = claims
  if (typeof email === 'string') {
    // Some issuers send the claim as a text.
    const isVerified = proof === true || proof === 'true' || (proof === undefined && trustsEmail === true)
    return { email: isVerified ? email : undefined, isVerified }
  }
  const names = [claims['preferred_username'], claims.sub]
  const name = names.find((one): one is string => typeof one === 'string' && !one.includes('@'))
  return { email: name, isVerified: false }
}

/** Undefined: the claim is absent, or no claim makes an admin. */
function roleOf(claims: JWTPayload, admin: OidcOptions['admin']): Profile['role'] {
  const held = admin && claims[admin.claim]
  if (admin === undefined || held === undefined) return undefined
  return (Array.isArray(held) ? held.includes(admin.value) : held === admin.value) ? 'admin' : 'member'
}

/** An ID token tells a client who logged in. Nonce and hash are in no access token, and Keycloak names the type. */
const isIdToken = (claims: JWTPayload): boolean =>
  claims['nonce'] !== undefined || claims['at_hash'] !== undefined || claims['typ'] === 'ID'

/** The token is at fault, not the way to the keys. */
const isRefused = (error: unknown): boolean =>
  error instanceof joseErrors.JOSEError &&
  !(error instanceof joseErrors.JWKSTimeout) &&
  !(error instanceof joseErrors.JWKSInvalid) &&
  error.code !== 'ERR_JOSE_GENERIC'
