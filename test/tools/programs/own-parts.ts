/** Starts both parts, says what it started, and waits to be killed. */
import { startControlPlane } from '../../../tools/control-plane/index.ts'
import { startPostgres } from '../../../tools/postgres/postgres.ts'

const [dir = ''] = process.argv.slice(2)
const [postgres, controlPlane] = await Promise.all([startPostgres(), startControlPlane({ dir, nodes: 'none' })])
process.stdout.write(`${JSON.stringify([postgres.pid, ...Object.values(controlPlane.pids)])}\n`)
setInterval(() => {}, 60_000)
