import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { obtainBinaries } from '../../tools/binaries/index.ts'
import { identify } from '../../tools/process/index.ts'
import type { Step } from '../../tools/progress.ts'
import { start } from '../cli/caelus.ts'
import { freshFolder } from './folder.ts'

afterEach(() => vi.unstubAllEnvs())

const UNREACHABLE = 'http://127.0.0.1:9'

/** A machine without binaries, Go or internet. Nothing listens on the port of its mirror. */
async function bareMachine(): Promise<{ cache: string; path: string; assets: string }> {
  const folder = await freshFolder()
  const machine = { cache: join(folder, 'cache'), path: join(folder, 'path'), assets: join(folder, 'assets') }
  vi.stubEnv('CAELUS_CACHE_DIR', machine.cache)
  vi.stubEnv('PATH', machine.path)
  vi.stubEnv('KUBEBUILDER_ASSETS', '')
  vi.stubEnv('HELM_BIN', '')
  vi.stubEnv('CAELUS_TOOLS_MIRROR', UNREACHABLE)
  return machine
}

async function program(path: string, script: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

/** Answers `go version`; "builds" by writing the target, and notes every build. */
const compiler = (path: string): Promise<string> =>
  program(
    join(path, 'go'),
    `if [ "$1" = version ]; then echo go version go1.26.8; exit; fi
     echo "$@" >> ${path}/builds
     echo 'go: downloading example.com/a v1.0.0' >&2; echo example.com/a >&2
     while [ "$1" != -o ]; do shift; done
     echo built > "$2"`,
  )

test('what is missing is built once, however many want it at the same time', async () => {
  const { path, cache } = await bareMachine()
  await compiler(path)
  const steps: Step[] = []
  const wanted = Array.from({ length: 4 }, () => obtainBinaries(['etcd', 'helm'], (step) => steps.push(step)))
  const [first, ...others] = await Promise.all(wanted)
  expect(others).toEqual([first, first, first])
  expect(first?.etcd).toBe(join(cache, 'bin', `${process.platform}-${process.arch}`, 'etcd-3.6.6/etcd'))
  const builds = (await readFile(join(path, 'builds'), 'utf8')).trim().split('\n')
  expect(builds.map((line) => line.split(' ').at(-1))).toEqual([
    'go.etcd.io/etcd/server/v3',
    'helm.sh/helm/v4/cmd/helm',
  ])
  expect(steps).toContainEqual(expect.objectContaining({ what: 'building etcd 3.6.6', nth: 1, of: 2 }))
  expect(await readdir(dirname(first?.etcd ?? ''))).toEqual(['etcd'])
})

test('a build that fails is quoted and leaves nothing', async () => {
  const { path, cache } = await bareMachine()
  await program(
    join(path, 'go'),
    `[ "$1" = version ] && echo go1.26.8 && exit; echo 'no required module provides package' >&2; exit 1`,
  )
  await expect(obtainBinaries(['kwok'])).rejects.toThrow(
    /failed to build kwok.*\n.*no required module provides package/,
  )
  expect(await readdir(join(cache, 'bin', `${process.platform}-${process.arch}`, 'kwok-0.7.0'))).toEqual([])
})

/** Begins to build and never ends: writes down its own pid and that of a compiler it started. Neither heeds a polite request. */
const slowCompiler = async (path: string): Promise<() => Promise<readonly number[]>> => {
  await program(
    join(path, 'go'),
    `if [ "$1" = version ]; then echo go version go1.26.8; exit; fi
     trap '' INT
     sleep 600 &
     echo half > "$GOTMPDIR/half"
     echo $$ $! > ${path}/pids.tmp && mv ${path}/pids.tmp ${path}/pids
     wait`,
  )
  const pids = async (): Promise<readonly number[]> =>
    (await readFile(join(path, 'pids'), 'utf8')).trim().split(' ').map(Number)
  return () => vi.waitFor(pids, { timeout: 20_000, interval: 50 })
}

test('a build that is not wanted any more ends with all its compilers, and leaves nothing', async () => {
  const { path, cache } = await bareMachine()
  vi.stubEnv('PATH', `${path}:/usr/bin:/bin`)
  const begun = await slowCompiler(path)
  const abort = new AbortController()
  const wanted = [1, 2].map(() => obtainBinaries(['kwok'], () => {}, abort.signal))
  const pids = await begun()
  abort.abort(new Error('stopped'))
  for (const one of await Promise.allSettled(wanted)) expect(one.status).toBe('rejected')
  expect(pids.map(identify)).toEqual([undefined, undefined])
  expect(await readdir(join(cache, 'bin', `${process.platform}-${process.arch}`, 'kwok-0.7.0'))).toEqual([])
})

test('the first Ctrl-C during a build ends it and everything else', async () => {
  const { path, cache } = await bareMachine()
  const begun = await slowCompiler(path)
  await using up = start(['up'], {
    PATH: `${path}:/usr/bin:/bin`,
    CAELUS_CACHE_DIR: cache,
    CAELUS_DATA_DIR: join(path, 'data'),
    CAELUS_PORT: '0',
    KUBEBUILDER_ASSETS: '',
    CAELUS_TOOLS_MIRROR: UNREACHABLE,
    HELM_BIN: '',
  })
  const pids = await begun()
  up.child.kill('SIGINT')
  expect(await up.ended).toMatchObject({ code: 0 })
  expect(pids.map(identify)).toEqual([undefined, undefined])
  expect(await readdir(join(cache, 'bin', `${process.platform}-${process.arch}`, 'etcd-3.6.6'))).toEqual([])
})

test('a build does not outlive a process that is killed', async () => {
  const { path, cache } = await bareMachine()
  vi.stubEnv('PATH', `${path}:/usr/bin:/bin`)
  const begun = await slowCompiler(path)
  await using controlPlane = start(['control-plane', 'up'], {
    PATH: `${path}:/usr/bin:/bin`,
    CAELUS_CACHE_DIR: cache,
    CAELUS_DATA_DIR: join(path, 'data'),
    KUBEBUILDER_ASSETS: '',
    CAELUS_TOOLS_MIRROR: UNREACHABLE,
  })
  const pids = await begun()
  controlPlane.child.kill('SIGKILL')
  await vi.waitFor(() => expect(pids.map(identify)).toEqual([undefined, undefined]), { timeout: 30_000, interval: 100 })
})

test('without internet and Go the error lists what to do', async () => {
  await bareMachine()
  await expect(obtainBinaries(['kube-apiserver', 'etcd', 'helm'])).rejects.toThrow(
    /failed to obtain kube-apiserver 1.35.4: \S+ cannot be reached, and Go is not installed; do one of these.*\n.*internet\n.*CAELUS_TOOLS_MIRROR.*\n.*install Go 1\.26.*GOPROXY.*\n.*KUBEBUILDER_ASSETS to a folder with kube-apiserver 1\.35\.4, etcd 3\.6\.6\n.*CAELUS_KUBECONFIG.*\n.*HELM_BIN/,
  )
})

test('without internet and Go, up prints what to do and keeps serving', async () => {
  const { path, cache } = await bareMachine()
  await using up = start(['up'], {
    PATH: '/usr/bin:/bin',
    CAELUS_CACHE_DIR: cache,
    CAELUS_DATA_DIR: join(path, 'data'),
    CAELUS_PORT: '0',
    KUBEBUILDER_ASSETS: '',
    CAELUS_TOOLS_MIRROR: UNREACHABLE,
  })
  await up.says(/failed to obtain etcd .*do one of these and start again:[\s\S]*keep running without a control plane/)
  const [, url = ''] = await up.says(/are at (http:\S+)\n/)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  up.child.kill('SIGINT')
  expect((await up.ended).code).toBe(0)
})

test('KUBEBUILDER_ASSETS comes first, and a version that does not fit is an error', async () => {
  const { assets, path } = await bareMachine()
  vi.stubEnv('KUBEBUILDER_ASSETS', assets)
  const asset = await program(join(assets, 'etcd'), 'echo etcd Version: 3.5.21')
  await program(join(path, 'etcd'), 'echo etcd Version: 3.6.6')
  expect(await obtainBinaries(['etcd'])).toEqual({ etcd: asset })
  await program(asset, 'echo etcd Version: 3.4.0')
  await expect(obtainBinaries(['etcd'])).rejects.toThrow(/assets\/etcd from KUBEBUILDER_ASSETS: it is version 3\.4\.0/)
})

test('on the PATH one of another version is passed over', async () => {
  const { path } = await bareMachine()
  await program(join(path, 'older/kubectl'), 'echo Client Version: v1.29.0')
  const fitting = await program(join(path, 'newer/kubectl'), 'echo Client Version: v1.36.1')
  vi.stubEnv('PATH', `${join(path, 'older')}:${join(path, 'newer')}`)
  expect(await obtainBinaries(['kubectl'])).toEqual({ kubectl: fitting })
})

test('HELM_BIN names the helm to use', async () => {
  const { path } = await bareMachine()
  const helm = await program(join(path, 'my-helm'), 'echo v3.19.2')
  vi.stubEnv('HELM_BIN', helm)
  expect(await obtainBinaries(['helm'])).toEqual({ helm })
  vi.stubEnv('HELM_BIN', join(path, 'no-helm'))
  await expect(obtainBinaries(['helm'])).rejects.toThrow('not a program that runs here')
})
