import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/**
 * A loopback port that was free a moment ago.
 *
 * Another process may take it before it is used, so the caller must retry when binding fails.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** How often a start is repeated because another process took its port. */
const ATTEMPTS = 5

/** Calls `start` with a free port, and again with another if that was taken in between. `first` chooses the first one. */
export async function onFreePort<T>(start: (port: number) => Promise<T>, first = freePort): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await (attempt === 1 ? first() : freePort()))
    } catch (error) {
      if (attempt === ATTEMPTS || !String(error).includes('address already in use')) throw error
    }
  }
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
