import { startAll } from '../../../src/kernel/index.ts'
import { openWorker, type WorkerPlace } from './parts.ts'

/* An apps worker in a process of its own, so that a test can kill it. */

const place = JSON.parse(process.argv[2] ?? '{}') as WorkerPlace
const { services } = await openWorker(place)
await startAll(services)
