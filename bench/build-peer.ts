import { basename, dirname } from 'node:path'
import { bundle } from '../tools/release/bundle.ts'

/**
 * `node bench/build-peer.ts <source> <output>` bundles one of our programs into one JavaScript file, as a release does:
 * stripping types at the start would cost more memory than everything afterwards.
 */
const [source = '', file = ''] = process.argv.slice(2)
await bundle({ programs: { [basename(file, '.mjs')]: source }, dir: dirname(file) })
