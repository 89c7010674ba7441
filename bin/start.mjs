import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import * as modules from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, install, PINNED_NODE, ROOT } from './install.mjs'

/** What Node makes of our sources, kept from one start to the next: it is most of what a command does before it begins. */
const COMPILED = join(ROOT, 'node_modules', '.cache', 'compiled')

/** Runs a script under the pinned Node: in this process if it is that Node already, otherwise in one that takes its place. */
export async function start(script, args) {
  await install()
  if (realpathSync(process.execPath) === realpathSync(PINNED_NODE)) {
    modules.enableCompileCache(COMPILED)
    process.argv.splice(1, process.argv.length, script, ...args)
    await import(pathToFileURL(script).href)
    return
  }
  const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env }
  const child = spawn(PINNED_NODE, [script, ...args], { stdio: 'inherit', env })
  child.on('error', (error) => fail(`failed to start ${PINNED_NODE}: ${error.message}`))
  // A terminal sends Ctrl-C to the whole group, the child included; it decides when to end, and we end with it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('close', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]))
}
