#!/usr/bin/env node
// Runs a script of this checkout, such as tools/test.ts, with the dependencies installed and under the pinned Node.
import { resolve } from 'node:path'
import { fail } from './install.mjs'
import { start } from './start.mjs'

const [script, ...args] = process.argv.slice(2)
if (script === undefined) fail('usage: node bin/run.mjs <script> [arguments]')
await start(resolve(script), args)
