#!/usr/bin/env node
import { join } from 'node:path'
import { ROOT } from './install.mjs'
import { start } from './start.mjs'

await start(join(ROOT, 'src/main.ts'), process.argv.slice(2), { anyNode: true })
