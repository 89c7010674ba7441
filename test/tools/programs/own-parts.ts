/** Starts both parts, says what it started, and waits to be killed. */
import { startCluster } from '../../../tools/control-plane/index.ts'
import { startPostgres } from '../../../tools/postgres/postgres.ts'

const [dir = ''] = process.argv.slice(2)
const [postgres, cluster] = await Promise.all([startPostgres(), startCluster({ dir, nodes: 'none' })])
process.stdout.write(`${JSON.stringify([postgres.pid, ...Object.values(cluster.pids)])}\n`)
setInterval(() => {}, 60_000)
