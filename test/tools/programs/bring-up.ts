/** Brings a control plane up, says so, and waits to be killed. */
import { controlPlaneUp } from '../../../tools/control-plane/index.ts'

const [dir = ''] = process.argv.slice(2)
const { state } = await controlPlaneUp({ dir, nodes: 'none' })
process.stdout.write(`${state}\n`)
setInterval(() => {}, 60_000)
