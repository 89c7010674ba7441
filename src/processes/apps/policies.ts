import type { APPS } from '../../config/apps.ts'
import type { ValuesOf } from '../../config/index.ts'
import type { NamespacePolicies } from '../../domains/apps/index.ts'

/** What the settings of the platform put into the namespace of every app. */
export const namespacePolicies = (apps: ValuesOf<typeof APPS>): NamespacePolicies => ({
  podSecurity: apps.podSecurity,
  quota: apps.quota,
  defaultRequests: apps.defaultRequests,
  network:
    apps.networkPolicy === 'open'
      ? undefined
      : {
          ingressNamespaces: apps.ingressNamespaces ?? [],
          ingressCidrs: apps.ingressCidrs,
          egressExcept: apps.egressExcept,
        },
})
