/**
 * Runs inside the node's network namespace and connects there for clients outside, through a Unix socket that both sides
 * can reach. A client first writes one line, `host:port`; what follows is passed on.
 */
import { createServer, createConnection } from 'node:net'
import type { Socket } from 'node:net'

const [path = ''] = process.argv.slice(2)
const LONGEST_LINE = 300

createServer({ allowHalfOpen: true }, (client) => {
  client.on('error', () => client.destroy())
  let head = Buffer.alloc(0)
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\n')
    if (end < 0) return void (head.length > LONGEST_LINE && client.destroy())
    client.off('data', onData)
    connect(client, head.toString('utf8', 0, end), head.subarray(end + 1))
  }
  client.on('data', onData)
}).listen(path)

function connect(client: Socket, target: string, first: Buffer): void {
  const colon = target.lastIndexOf(':')
  const remote = createConnection({
    host: target.slice(0, colon),
    port: Number(target.slice(colon + 1)),
    allowHalfOpen: true,
  })
  remote.on('error', () => client.destroy())
  client.on('close', () => remote.destroy())
  remote.write(first)
  client.pipe(remote)
  remote.pipe(client)
}
