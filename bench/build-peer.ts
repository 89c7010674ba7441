import { basename, dirname } from 'node:path'
import { bundle } from '../tools/release/bundle.ts'

/**
 * `node bench/build-peer.ts <source> <output>`: one file of plain JavaScript out of a peer of ours. A released program does not strip types
 * when it starts either, and that costs more memory than all it does afterwards.
 */
const [source = '', file = ''] = process.argv.slice(2)
await bundle({ programs: { [basename(file, '.mjs')]: source }, dir: dirname(file) })
