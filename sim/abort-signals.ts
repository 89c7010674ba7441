/**
 * Replaces `AbortSignal.any` and returns how to undo that.
 *
 * Node keeps each signal of `AbortSignal.any` for as long as it has a listener and a source. A process that crashes
 * in the simulator removes no listener, so that its whole world would stay in memory.
 */
export function collectableSignals(): () => void {
  const original = AbortSignal.any.bind(AbortSignal)
  AbortSignal.any = anyOf
  return () => {
    AbortSignal.any = original
  }
}

function anyOf(sources: Iterable<AbortSignal>): AbortSignal {
  const controller = new AbortController()
  const all = [...sources]
  const follow = (): void => {
    const first = all.find(({ aborted }) => aborted)
    if (first === undefined) return
    for (const source of all) source.removeEventListener('abort', follow)
    controller.abort(first.reason)
  }
  for (const source of all) source.addEventListener('abort', follow)
  follow()
  return controller.signal
}
