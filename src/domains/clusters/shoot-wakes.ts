import { createHash } from 'node:crypto'
import { service, aborted, type Emitter, type Queue, type Service } from '../../kernel/index.ts'
import type { Via } from '../../kube/index.ts'
import type { ClustersEvents } from './events.ts'
import type { ShootWatch } from './gardener/gardener.ts'
import { ORGANIZATION_ID, type Shoot } from './gardener/shoot.ts'
import { liveOf } from './live.ts'
import { clusterKey } from './queue.ts'

export interface ShootWakesDeps {
  readonly shoots: ShootWatch
  readonly queue: Pick<Queue, 'wake'>
  readonly emitter: Emitter<ClustersEvents>
}

/**
 * Wakes a cluster when what matters of its Shoot has changed: Gardener writes heartbeats and times all the while. The first
 * list is left to the pass at the start, and what we wrote to the run that wrote it.
 */
export function shootWakes({ shoots, queue, emitter }: ShootWakesDeps): Service {
  const known = new Map<string, { readonly print: string; readonly tenant: string }>()
  const onChange = (id: string, via: Via): void => {
    const shoot = shoots.ofCluster(id)
    const before = known.get(id)
    const tenant = shoot?.metadata.labels?.[ORGANIZATION_ID] ?? before?.tenant ?? ''
    if (shoot === undefined) known.delete(id)
    else {
      const print = fingerprint(shoot)
      if (print === before?.print) return
      known.set(id, { print, tenant })
    }
    if (via === 'firstList' || via === 'write') return
    // A wake that is lost is made up for by the next pass.
    queue
      .wake(clusterKey(id), { reason: 'childChanged', tenant })
      .catch((error: unknown) => emitter.emit('clusters:scanFailed', { error }))
  }
  return service('clusters wakes', async (signal, ready) => {
    const stop = shoots.onChange(onChange)
    ready()
    await aborted(signal)
    stop()
  })
}

function fingerprint(shoot: Shoot): string {
  const { labels, annotations } = shoot.metadata
  // Of what matters to a status, only the time of the last operation moves by itself.
  const { operation, ...live } = liveOf(shoot)
  const told = operation && { ...operation, updatedAt: operation.state === 'Failed' ? operation.updatedAt : 0 }
  return createHash('sha1')
    .update(JSON.stringify([live, told, labels, annotations, shoot.spec]))
    .digest('base64')
}
