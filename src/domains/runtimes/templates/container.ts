import type { CoreV1 } from '../../../kube/index.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { odgmServiceName } from '../names.ts'
import type { HandedField } from '../types.ts'
import { hasOdgm, ODGM_PORT } from './addons.ts'
import { envOf, type Env } from './env.ts'
import type { RunnableFunction } from './functions.ts'
import { telemetryEnv } from './telemetry.ts'
import type { RenderSettings } from './template.ts'

/**
 * As little as a container can do with. Not `runAsNonRoot`: an image whose user is root would never start, and whether that
 * is allowed is for the namespace to say (Pod Security Standards).
 */
export const securityOf = (ports: readonly number[]): CoreV1.SecurityContext => ({
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'], ...(ports.some((port) => port < 1024) && { add: ['NET_BIND_SERVICE'] }) },
  seccompProfile: { type: 'RuntimeDefault' },
})

/** What every pod of ours has in common. Nothing inside a function talks to Kubernetes, so it gets no token for it. */
export const POD_DEFAULTS = { automountServiceAccountToken: false, enableServiceLinks: false } as const

/** What the platform tells a function; the spec cannot say otherwise. */
export const platformEnv = (runtime: ClassRuntime, functionKey: string): Env => ({
  OPRC_CLS_ID: runtime.spec.package_class_key ?? runtime.metadata.name,
  OPRC_DEPLOYMENT_ID: runtime.metadata.name,
  OPRC_FUNCTION_KEY: functionKey,
  ODGM_ENABLED: `${hasOdgm(runtime.spec)}`,
  ...(hasOdgm(runtime.spec) && { ODGM_SERVICE: `${odgmServiceName(runtime.metadata.name)}:${ODGM_PORT}` }),
})

/** The container of a function, without its port, which Deployments and Knative name differently. */
export function functionContainer(
  runtime: ClassRuntime,
  settings: RenderSettings,
  fn: RunnableFunction,
  options: { readonly env?: Env; readonly handed: readonly HandedField[] },
): Omit<CoreV1.Container, 'ports'> {
  const requests = notHanded(fn.requests, options.handed)
  const limits = notHanded(fn.limits, options.handed)
  const resources = {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
  return {
    name: 'function',
    image: fn.image,
    env: envOf(telemetryEnv(runtime, settings, fn.key), fn.config, platformEnv(runtime, fn.key), options.env ?? {}),
    ...(Object.keys(resources).length > 0 && { resources }),
    securityContext: securityOf([fn.port]),
    terminationMessagePolicy: 'FallbackToLogsOnError',
  }
}

const notHanded = (amounts: RunnableFunction['requests'], handed: readonly string[]): RunnableFunction['requests'] =>
  Object.fromEntries(Object.entries(amounts).filter(([dimension]) => !handed.includes(dimension)))
