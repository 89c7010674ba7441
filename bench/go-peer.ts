import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

function go(name: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('go', args, {
    cwd: join(import.meta.dirname, 'others', name),
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false' },
  })
  if (status !== 0) throw new Error(`failed to build ${name}: ${stderr}`)
  return stdout.trim()
}

/** Builds a peer written in Go; the cache of Go makes it fast the next time. `pkg`: a package in a subfolder, such as `./x`. */
export function goPeer(name: string, outDir: string, pkg = '.'): string {
  const out = join(outDir, pkg.startsWith('./') ? `${name}-${pkg.slice(2)}` : name)
  go(name, 'build', '-trimpath', '-o', out, pkg)
  return out
}

/** The folder with the sources of a module that a peer is built of. */
export function goModule(name: string, module: string): string {
  go(name, 'mod', 'download', module)
  return go(name, 'list', '-m', '-f', '{{.Dir}}', module)
}
