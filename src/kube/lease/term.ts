import type { Service } from '../../kernel/index.ts'

/** Starts the services in order until `ending` aborts. Resolves with the error of the first one that fails. */
export async function firstFailure(services: readonly Service[], ending: AbortSignal): Promise<Error> {
  try {
    for (const next of services) {
      if (ending.aborted) break
      await next.start()
    }
    await Promise.race([...services.map(({ done }) => done), new Promise(() => {})])
    return new Error('a service of the term ended unexpectedly')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Each service may finish its work under way, until `atOnce` aborts. */
export async function stopInOrder(services: readonly Service[], atOnce: AbortSignal): Promise<void> {
  const hurry = (): void => {
    for (const running of services) void running.stop({ atOnce: true })
  }
  atOnce.addEventListener('abort', hurry, { once: true })
  if (atOnce.aborted) hurry()
  for (const running of services.toReversed()) await running.stop()
  atOnce.removeEventListener('abort', hurry)
}
