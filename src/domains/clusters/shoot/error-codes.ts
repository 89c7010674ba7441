import type { Failure } from '../../../kernel/index.ts'
import { raise, type ClusterFailureCode } from '../failures.ts'

/*
 * The error codes of Gardener 1.150, and what each means to us.
 *
 * A Shoot that has `Failed` is not tried again by Gardener. Caelus asks for another try where the cause passes by itself.
 * Where a person has to remove it, another try would only fail again and hide since when.
 */

interface ErrorCode {
  readonly failure: ClusterFailureCode
  /** Whether the cause can pass without a person. */
  readonly passes: boolean
}

/** The gravest first: of several codes the first one that a Shoot has names its failure. */
export const ERROR_CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_INFRA_UNAUTHENTICATED: { failure: 'InfrastructureCredentials', passes: false },
  ERR_INFRA_UNAUTHORIZED: { failure: 'InfrastructureCredentials', passes: false },
  ERR_CONFIGURATION_PROBLEM: { failure: 'ClusterConfiguration', passes: false },
  ERR_PROBLEMATIC_WEBHOOK: { failure: 'ClusterWebhook', passes: false },
  ERR_INFRA_QUOTA_EXCEEDED: { failure: 'InfrastructureQuota', passes: false },
  ERR_INFRA_DEPENDENCIES: { failure: 'InfrastructureDependencies', passes: false },
  ERR_INFRA_RESOURCES_DEPLETED: { failure: 'InfrastructureDepleted', passes: true },
  ERR_CLEANUP_CLUSTER_RESOURCES: { failure: 'ClusterResourcesLeft', passes: true },
  ERR_RETRYABLE_CONFIGURATION_PROBLEM: { failure: 'ClusterConfiguration', passes: true },
  ERR_RETRYABLE_INFRA_DEPENDENCIES: { failure: 'InfrastructureDependencies', passes: true },
  ERR_INFRA_RATE_LIMITS_EXCEEDED: { failure: 'InfrastructureBusy', passes: true },
}

interface ShootErrors {
  readonly errors: readonly { readonly description: string; readonly codes: readonly string[] }[]
}

/** The failure that the errors of a Shoot amount to, or `otherwise` when none of them has a code that is known. */
export function failureOfErrors({ errors }: ShootErrors, otherwise: ClusterFailureCode, description: string): Failure {
  const present = new Set(errors.flatMap(({ codes }) => codes))
  const gravest = Object.keys(ERROR_CODES).find((code) => present.has(code))
  const named = errors.find(({ codes }) => gravest !== undefined && codes.includes(gravest)) ?? errors[0]
  const message = named?.description ?? description
  const failure = gravest === undefined ? undefined : ERROR_CODES[gravest]?.failure
  return raise[failure ?? otherwise](gravest === undefined ? message : `${message} (${gravest})`).failure
}

/** Whether another try can succeed without a person: no error of the Shoot is one that somebody has to remove. */
export const mayPass = ({ errors }: ShootErrors): boolean =>
  errors.every(({ codes }) => codes.every((code) => ERROR_CODES[code]?.passes ?? true))
