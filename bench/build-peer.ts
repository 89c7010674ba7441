import { rolldown } from 'rolldown'

/**
 * `node bench/build-peer.ts <source> <output>`: one file of plain JavaScript out of a peer of ours. A released program does not strip types
 * when it starts either, and that costs more memory than all it does afterwards.
 */
const [input = '', file = ''] = process.argv.slice(2)
const bundle = await rolldown({ input, platform: 'node', logLevel: 'warn' })
await bundle.write({ file, format: 'esm', codeSplitting: false })
