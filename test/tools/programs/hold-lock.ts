/** Takes a lock, says so, and waits to be killed. */
import { lock } from '../../../tools/process/index.ts'

const [path = ''] = process.argv.slice(2)
await lock(path)
process.stdout.write('held\n')
setInterval(() => {}, 60_000)
