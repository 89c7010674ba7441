import { CredentialsBindings } from '../../src/domains/clusters/gardener/resources.ts'
import { createEmitter, decisionLog, settled, systemClock, type Service } from '../../src/kernel/index.ts'
import {
  cache,
  itself,
  keyAt,
  ledController,
  Namespace,
  wakeOn,
  type LedControllerEvents,
  type Transport,
} from '../../src/kube/index.ts'
import { bindCredentials } from './credentials.ts'
import { LOCAL } from './landscape.ts'

/** Puts the credentials of the local provider into each namespace of a project, in place of the platform's operator. */
export function bindingsOfProjects(transport: Transport): readonly Service[] {
  const clock = systemClock
  const { services } = ledController(
    {
      name: 'credentials of projects',
      fieldManager: 'garden-operator',
      transport,
      clock,
      random: Math.random,
      instance: 'garden-operator',
      emitter: createEmitter<LedControllerEvents>(),
      decisions: decisionLog(),
    },
    ({ client, watching, queue }) => {
      const namespaces = cache(watching, { resource: Namespace, where: { labels: 'gardener.cloud/role=project' } })
      wakeOn(namespaces, queue, itself(Namespace), { clock })
      return {
        caches: [namespaces],
        kinds: [
          {
            resource: Namespace,
            cache: namespaces,
            reconcile: async ({ key }) => {
              const found = namespaces.get(keyAt(key))
              if (found === undefined || found.metadata.deletionTimestamp !== undefined) return settled()
              const namespace = found.metadata.name
              const binding = await client.get(CredentialsBindings, { namespace, name: LOCAL })
              if (binding === undefined) await bindCredentials(client, namespace)
              return settled()
            },
          },
        ],
      }
    },
  )
  return services
}
