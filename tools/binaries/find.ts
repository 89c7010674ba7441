import { delimiter, join } from 'node:path'
import { cachedPath, isExecutable } from './cache.ts'
import { CATALOGUE } from './catalogue.ts'
import type { BinaryName } from './catalogue.ts'
import { versionOf, versionText } from './version.ts'

/**
 * Finds a binary that a variable names or that the cache holds: HELM_BIN, KUBEBUILDER_ASSETS, the cache, in this order.
 * An unusable binary that a variable names is an error.
 */
export async function findBinary(name: BinaryName, env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const named = name === 'helm' ? env['HELM_BIN'] : undefined
  if (named !== undefined && named !== '') return await demanded(name, named, 'HELM_BIN')
  const assets = env['KUBEBUILDER_ASSETS'] ?? ''
  const asset = join(assets, name)
  if (assets !== '' && (await isExecutable(asset))) return await demanded(name, asset, 'KUBEBUILDER_ASSETS')
  return (await isExecutable(cachedPath(name))) ? cachedPath(name) : undefined
}

/** Finds a binary of a fitting version on the PATH. */
export async function findOnPath(name: BinaryName, env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name)
    if (folder !== '' && (await isExecutable(path)) && (await fits(name, path)).fits) return path
  }
  return undefined
}

async function demanded(name: BinaryName, path: string, variable: string): Promise<string> {
  const answer = await fits(name, path)
  if (answer.fits) return path
  throw new Error(
    `failed to use ${path} from ${variable}: it is ${answer.found}, and ${name} ${CATALOGUE[name].version} or one compatible with it is needed; correct or unset ${variable}`,
  )
}

async function fits(name: BinaryName, path: string): Promise<{ fits: boolean; found: string }> {
  const { versionArgs, fits: suits } = CATALOGUE[name]
  const version = await versionOf(path, versionArgs)
  return version === undefined
    ? { fits: false, found: 'not a program that runs here' }
    : { fits: suits(version), found: `version ${versionText(version)}` }
}
