import type { DomainProcess } from '../domain.ts'
import { echoDemo } from './demo.ts'

export const echoProcess = (): DomainProcess => ({
  serve: (host) => ({
    async up({ transport, client, progress, begin }) {
      for (const service of await echoDemo(host, transport, client)) await begin(service)
      progress.say('  The demo converges: kubectl get echoes,configmaps -n caelus-demo')
    },
  }),
})
