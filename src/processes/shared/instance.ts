import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

/**
 * Names one life of this process, as the holder of leases. A restarted container has the same hostname and
 * pid, and would share the leases of its predecessor without the random part.
 */
const INSTANCE = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`

export const instanceName = (): string => INSTANCE
