import { spawn } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import * as modules from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, install, PINNED_NODE, ROOT } from './install.mjs'

/** Compiling our sources takes most of a command's start; Node keeps the result in this folder. */
const COMPILED = join(ROOT, 'node_modules', '.cache', 'compiled')

/**
 * Runs a script with the dependencies installed: in this process where its Node may run it, otherwise in a second one.
 * `anyNode`: a Node that satisfies `engines` of package.json will do. Otherwise the script needs the pinned Node.
 */
export async function start(script, args, { anyNode = false } = {}) {
  await install()
  if (isPinnedNode() || (anyNode && satisfiesEngines())) {
    modules.enableCompileCache(COMPILED)
    process.argv.splice(1, process.argv.length, script, ...args)
    await import(pathToFileURL(script).href)
    return
  }
  const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env }
  const child = spawn(PINNED_NODE, [script, ...args], { stdio: 'inherit', env })
  child.on('error', (error) => fail(`failed to start ${PINNED_NODE}: ${error.message}`))
  // A terminal sends Ctrl-C to the whole process group, so the child has received it already.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('close', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]))
}

const isPinnedNode = () => realpathSync(process.execPath) === realpathSync(PINNED_NODE)

/** `engines` of package.json has the form ">=24.11". */
function satisfiesEngines() {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const lowest = /^>=(\d+)\.(\d+)$/.exec(engines?.node ?? '')
  if (lowest === null) return false
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > Number(lowest[1]) || (major === Number(lowest[1]) && minor >= Number(lowest[2]))
}
