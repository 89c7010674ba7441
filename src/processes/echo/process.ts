import type { DomainProcess } from '../domain.ts'
import { replays } from '../../../examples/echo/index.ts'
import { echoDemo } from './demo.ts'

export const echoProcess = (): DomainProcess => ({
  replays,
  serve: (host) => ({
    async up(here) {
      for (const service of await echoDemo(host, here)) await here.begin(service)
      here.progress.say('  The demo converges: kubectl get echoes,configmaps -n caelus-demo')
    },
  }),
})
