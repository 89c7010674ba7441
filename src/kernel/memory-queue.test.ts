import { exerciseQueue, LEASE_MS } from '../../test/conformance/queue.ts'
import { manualClock } from './clock.ts'
import { MemoryQueue } from './memory-queue.ts'

exerciseQueue('MemoryQueue', async () => {
  const clock = manualClock()
  return { queue: new MemoryQueue({ clock, leaseMs: LEASE_MS }), pass: (ms) => clock.advance(ms) }
})
