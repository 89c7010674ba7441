import { readFileSync, writeSync } from 'node:fs'
import type { HandedOver } from '../observed.ts'
import { withoutHandedOver } from './hand-over.ts'

/** Run by Helm between rendering and applying: manifest in, manifest out, the fields to leave out in a file. */
const [, , fields = ''] = process.argv
const handOver = JSON.parse(readFileSync(fields, 'utf8')) as readonly HandedOver[]
const manifest = Buffer.from(withoutHandedOver(readFileSync(0, 'utf8'), handOver))
for (let written = 0; written < manifest.length;) written += writeSync(1, manifest, written)
