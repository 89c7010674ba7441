import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Proxy extends AsyncDisposable {
  readonly port: number
  /** How many connections were opened through it. */
  readonly opened: () => number
  /** The connections that exist now stay open and pass nothing on, in either direction; new ones work. */
  readonly swallow: () => void
  /** The same for new connections too: they are accepted, and nothing is ever answered, not even a close. */
  readonly swallowAll: () => void
  /** New connections are closed as soon as they are opened, until they are refused no longer. */
  readonly refuse: (isRefusing: boolean) => void
}

/** A way to a port on this machine that can go dead without saying so. */
export async function proxyTo(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let opened = 0
  let isDead = false
  let isRefusing = false
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('close', () => sockets.delete(socket))
  }
  // Half-open sockets: the end of one side reaches the other only by `pipe`.
  const server = createServer({ allowHalfOpen: true }, (inbound) => {
    opened++
    if (isRefusing) {
      inbound.destroy()
      return
    }
    keep(inbound)
    if (isDead) {
      inbound.on('error', () => {}).resume()
      return
    }
    const outbound = keep(connect({ port, host: '127.0.0.1', allowHalfOpen: true }))
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const swallow = (): void => {
    for (const socket of sockets) socket.unpipe().resume()
  }
  return {
    port: (server.address() as AddressInfo).port,
    opened: () => opened,
    swallow,
    refuse(isRefused) {
      isRefusing = isRefused
    },
    swallowAll() {
      isDead = true
      swallow()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
