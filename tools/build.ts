import { join, resolve } from 'node:path'
import { buildRelease } from './release/release.ts'

/** `npm run build [-- <folder>]` builds the release, by default in `dist`. */
const dir = resolve(process.argv[2] ?? join(import.meta.dirname, '../dist'))
const from = performance.now()
await buildRelease(dir, AbortSignal.timeout(600_000))
console.log(`built ${dir} in ${((performance.now() - from) / 1000).toFixed(1)} s: node ${join(dir, 'caelus.mjs')}`)
