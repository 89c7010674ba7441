import { startAll } from '../../../src/kernel/index.ts'
import { guarded, type Transport } from '../../../src/kube/index.ts'
import { clustersOfGarden } from './in-clusters.ts'
import { openWorker, type WorkerPlace } from './parts.ts'

/* An apps worker in a process of its own, so that a test can kill it. */

const place = JSON.parse(process.argv[2] ?? '{}') as WorkerPlace
const { dieAt } = place
const mortal = (transport: Transport): Transport =>
  guarded(transport, ({ method, path, query }) => {
    const isIt = dieAt !== undefined && query?.['dryRun'] === undefined && new RegExp(dieAt).test(`${method} ${path}`)
    if (isIt) process.kill(process.pid, 'SIGKILL')
  })
const { services } =
  place.garden === undefined
    ? await openWorker(place, {}, mortal)
    : await openWorker(place, { clusters: await clustersOfGarden(place, place.garden, mortal) })
await startAll(services)
