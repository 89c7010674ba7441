import type { StatusView } from '../../lib/api/contract.ts'
import { spokenHealth, worstTone } from '../../lib/tone.ts'
import type { Tone } from '../../lib/tone.ts'

export interface Headline {
  readonly tone: Tone
  readonly text: string
}

/** The one sentence over everything. Order is significance: what needs action comes before what only takes time. */
export function headline(status: StatusView): Headline {
  const sick = [...status.components, ...status.domains].filter(({ health }) => spokenHealth(health).tone === 'bad')
  const first = sick[0]
  if (first !== undefined) {
    const others = sick.length > 1 ? ` and ${sick.length - 1} more` : ''
    return { tone: 'bad', text: `${first.name}${others} ${sick.length > 1 ? 'are' : 'is'} not healthy` }
  }
  if (status.preparation?.state === 'failed')
    return { tone: 'bad', text: 'The local control plane could not be prepared' }
  const parked = status.queue?.parked ?? 0
  if (parked > 0)
    return {
      tone: 'bad',
      text: parked === 1 ? '1 object has stopped and needs action' : `${parked} objects have stopped and need action`,
    }
  if (status.preparation?.state === 'running') {
    const steps = status.preparation.steps
    const done = steps.filter(({ state }) => state === 'done').length
    return {
      tone: 'wait',
      text: `Preparing the local control plane: step ${Math.min(done + 1, steps.length)} of ${steps.length}`,
    }
  }
  const examples = status.demo?.filter(({ ready }) => ready !== 'True').length ?? 0
  const notReady = status.domains.reduce((sum, domain) => sum + domain.not_ready, examples)
  if (notReady > 0)
    return { tone: 'wait', text: `${notReady} ${notReady === 1 ? 'object is' : 'objects are'} not as desired yet` }
  const preparing = worstTone(status.components.map(({ health }) => spokenHealth(health).tone)) === 'wait'
  return preparing
    ? { tone: 'wait', text: 'Some components are starting' }
    : { tone: 'good', text: 'Everything is as desired' }
}
