import type { DomainProcess } from '../domain.ts'
import { replays } from '../../../examples/echo/index.ts'
import { echoDemo } from './demo.ts'

export const echoProcess = (): DomainProcess => ({
  replays,
  serve: (host) => ({
    async up({ transport, client, progress, begin }) {
      for (const service of await echoDemo(host, transport, client)) await begin(service)
      progress.say('  The demo converges: kubectl get echoes,configmaps -n caelus-demo')
    },
  }),
})
