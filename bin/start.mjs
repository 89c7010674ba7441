import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { pathToFileURL } from 'node:url'
import { fail, install, PINNED_NODE } from './install.mjs'

/** Runs a script under the pinned Node: in this process if it is that Node already, otherwise in one that takes its place. */
export async function start(script, args) {
  await install()
  if (realpathSync(process.execPath) === realpathSync(PINNED_NODE)) {
    process.argv.splice(1, process.argv.length, script, ...args)
    await import(pathToFileURL(script).href)
    return
  }
  const child = spawn(PINNED_NODE, [script, ...args], { stdio: 'inherit' })
  child.on('error', (error) => fail(`failed to start ${PINNED_NODE}: ${error.message}`))
  // A terminal sends Ctrl-C to the whole group, the child included; it decides when to end, and we end with it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('close', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]))
}
