import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Proxy extends AsyncDisposable {
  readonly port: number
  /** How many connections were opened through it. */
  readonly opened: () => number
  /** The connections that exist now stay open and pass nothing on, in either direction; new ones work. */
  readonly swallow: () => void
}

/** A way to a port on this machine that can go dead without saying so. */
export async function proxyTo(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  // A connection that passes nothing on does not answer a closing side either.
  const allowHalfOpen = true
  const server = createServer({ allowHalfOpen }, (inbound) => {
    const outbound = connect({ port, host: '127.0.0.1', allowHalfOpen })
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
    }
    opened++
  })
  let opened = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    opened: () => opened,
    swallow() {
      for (const socket of sockets) socket.unpipe().resume()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
