import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

export interface Forward {
  /** On the loopback interface of this machine. */
  readonly port: number
  close(): Promise<void>
}

export interface ForwardOptions {
  /** The socket of the node's relay. */
  readonly relay: string
  /** An address inside the node's network: a pod, or the node itself. */
  readonly host: string
  readonly port: number
  /** @default any free port */
  readonly localPort?: number
}

/** A loopback port that forwards to an address inside the node's network. */
export async function forwardPort(options: ForwardOptions): Promise<Forward> {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const remote = createConnection({ path: options.relay, allowHalfOpen: true })
    for (const [one, other] of [
      [client, remote],
      [remote, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    remote.write(`${options.host}:${options.port}\n`)
    client.pipe(remote)
    remote.pipe(client)
  })
  server.listen(options.localPort ?? 0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
