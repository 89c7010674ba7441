import { createHash } from 'node:crypto'
import { service, aborted, type Clock, type Queue, type Service } from '../../kernel/index.ts'
import { repeatedWakes, type Via } from '../../kube/index.ts'
import type { ShootWatch } from './gardener/gardener.ts'
import { FENCE, ORGANIZATION_ID, type Shoot } from './gardener/shoot.ts'
import { liveOf } from './live.ts'
import { clusterKey } from './queue.ts'

export interface ShootWakesDeps {
  readonly shoots: ShootWatch
  readonly queue: Pick<Queue, 'wake'>
  readonly clock: Clock
}

interface Known {
  readonly print: string
  readonly tenant: string
  /** Of the last write of a worker; 0: none. */
  readonly fence: number
}

/**
 * Wakes a cluster when what matters of its Shoot has changed: Gardener writes heartbeats and times all the while. The first
 * list is left to the pass at the start, and what a worker wrote to the run that wrote it.
 */
export function shootWakes({ shoots, queue, clock }: ShootWakesDeps): Service {
  const wakes = repeatedWakes(queue, clock)
  const known = new Map<string, Known>()
  const onChange = (id: string, via: Via): void => {
    const shoot = shoots.ofCluster(id)
    const before = known.get(id)
    const tenant = shoot?.metadata.labels?.[ORGANIZATION_ID] ?? before?.tenant ?? ''
    if (shoot === undefined) known.delete(id)
    else {
      const now: Known = { print: fingerprint(shoot), tenant, fence: fenceOf(shoot) }
      if (now.print === before?.print) return
      known.set(id, now)
      // The watch may tell of a write before its answer arrives.
      if (via === 'watch' && now.fence > (before?.fence ?? 0)) return
    }
    if (via === 'firstList' || via === 'write') return
    wakes.wake(clusterKey(id), { reason: 'childChanged', tenant })
  }
  return service('clusters wakes', async (signal, ready) => {
    const stop = shoots.onChange(onChange)
    ready()
    await aborted(signal)
    stop()
    wakes.stop()
  })
}

const fenceOf = ({ metadata }: Shoot): number => Number(metadata.annotations?.[FENCE] ?? 0) || 0

function fingerprint(shoot: Shoot): string {
  const { labels, annotations } = shoot.metadata
  // Of what matters to a status, only the time of the last operation moves by itself.
  const { operation, ...live } = liveOf(shoot)
  const told = operation && { ...operation, updatedAt: operation.state === 'Failed' ? operation.updatedAt : 0 }
  return createHash('sha1')
    .update(JSON.stringify([live, told, labels, annotations, shoot.spec]))
    .digest('base64')
}
