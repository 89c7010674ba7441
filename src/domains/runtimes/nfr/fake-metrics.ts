import { raise, type MetricsSource, type Sample } from './metrics-source.ts'

export interface FakeMetrics extends MetricsSource {
  /** What this query answers from now on. Others answer with nothing. */
  answer(promql: string, samples: readonly Sample[]): void
  /** Off: nobody answers. */
  up(isUp: boolean): void
  /** The queries so far. */
  readonly asked: readonly string[]
}

/** Measurements that a test drives. It knows queries by their text alone; one without balanced brackets is refused. */
export function fakeMetrics(): FakeMetrics {
  const answers = new Map<string, readonly Sample[]>()
  const asked: string[] = []
  let isUp = true
  return {
    asked,
    answer: (promql, samples) => void answers.set(promql, samples),
    up: (value) => void (isUp = value),
    async query(promql, signal) {
      signal.throwIfAborted()
      asked.push(promql)
      if (!isUp) throw raise.MetricsUnreachable('failed to ask the fake: it was switched off')
      if (!isBalanced(promql))
        throw raise.MetricsQueryInvalid(`the fake does not take "${promql}": brackets do not match`)
      return (answers.get(promql) ?? []).filter(({ value }) => Number.isFinite(value))
    },
  }
}

const count = (text: string, part: string): number => text.split(part).length - 1

const isBalanced = (text: string): boolean =>
  count(text, '(') === count(text, ')') && count(text, '{') === count(text, '}')
