const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** By convention 128 plus the number of the signal. */
const EXIT_CODE = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Aborted by the first SIGINT or SIGTERM. A second one ends the process at once, without waiting for work
 * under way.
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
