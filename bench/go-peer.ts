import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Builds a peer that is a Go program, once; Go's own cache makes it quick afterwards. */
export function goPeer(name: string, outDir: string): string {
  const out = join(outDir, name)
  const cwd = join(import.meta.dirname, 'others', name)
  const { status, stderr } = spawnSync('go', ['build', '-trimpath', '-o', out, '.'], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false' },
  })
  if (status !== 0) throw new Error(`failed to build ${name}: ${stderr}`)
  return out
}
