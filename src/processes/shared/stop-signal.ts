const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Conventional: 128 and the number of the signal. */
const EXIT_CODE = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Aborted by the first SIGINT or SIGTERM. The second one ends the process at once: whoever sends it does not want to
 * wait for what is still finishing.
 */
export function stopSignal(onFirst: () => void = () => {}): AbortSignal {
  const controller = new AbortController()
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(EXIT_CODE[name])
      onFirst()
      controller.abort(new Error(`stopped by ${name}`))
    })
  }
  return controller.signal
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
