/** A forward as a process of its own: `forward-main.ts <local port> <relay> <host> <port>`. */
import { forwardPort } from './forward.ts'

const [localPort = '', relay = '', host = '', port = ''] = process.argv.slice(2)
await forwardPort({ localPort: Number(localPort), relay, host, port: Number(port) })
