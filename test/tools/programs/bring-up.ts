/** Brings a control plane up, says so, and waits to be killed. */
import { clusterUp } from '../../../tools/control-plane/index.ts'

const [dir = ''] = process.argv.slice(2)
const { state } = await clusterUp({ dir, nodes: 'none' })
process.stdout.write(`${state}\n`)
setInterval(() => {}, 60_000)
