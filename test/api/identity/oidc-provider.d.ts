/** The package comes without types; these are the parts that the tests use. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Account {
    readonly accountId: string
    claims(): Record<string, unknown>
  }
  interface Configuration extends Record<string, unknown> {
    readonly findAccount: (context: unknown, id: string) => Account
  }
  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
  }
}
