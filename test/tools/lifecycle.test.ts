import { spawn } from 'node:child_process'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  controlPlaneDown,
  controlPlaneKubeconfig,
  controlPlaneStatus,
  controlPlaneUp,
  ensureControlPlane,
  startControlPlane,
} from '../../tools/control-plane/index.ts'
import { identify } from '../../tools/process/index.ts'
import { freshFolder } from './folder.ts'
import { runProgram } from './program.ts'

/** A whole control plane is started here; on a busy machine that takes most of a minute. */
vi.setConfig({ testTimeout: 240_000 })

const freshPlace = async (): Promise<{ dir: string; nodes: 'none' }> => {
  const dir = join(await freshFolder(), 'control-plane')
  onTestFinished(async () => void (await controlPlaneDown({ dir })))
  return { dir, nodes: 'none' }
}

test('a control plane brought up outlives the process that did it, until it is taken down', async () => {
  const place = await freshPlace()
  expect(await controlPlaneStatus(place)).toMatchObject({ state: 'absent' })
  const upper = await runProgram('bring-up', [place.dir])
  await upper.kill()

  const status = await controlPlaneStatus(place)
  expect(status).toMatchObject({ state: 'running', components: Array.from({ length: 4 }, () => ({ alive: true })) })
  expect(status.ownerPid).toBeUndefined()
  expect(await controlPlaneKubeconfig(place)).toContain(status.server)
  expect(await controlPlaneUp(place)).toEqual(status)
  const found = await ensureControlPlane(place)
  await found.stop()
  await expect(startControlPlane(place)).rejects.toThrow('one that was detached runs there; take it down first')
  expect(await controlPlaneStatus(place)).toEqual(status)

  expect(await controlPlaneDown(place)).toHaveLength(4)
  expect(status.components.filter(({ pid }) => identify(pid) !== undefined)).toEqual([])
  expect(await controlPlaneStatus(place)).toMatchObject({ state: 'stopped', components: [] })
  await controlPlaneDown({ ...place, purge: true })
  await expect(stat(place.dir)).rejects.toThrow('ENOENT')
})

test('taking down never ends a process that only inherited the pid', async () => {
  const place = await freshPlace()
  await mkdir(place.dir)
  const stranger = spawn('sleep', ['60'])
  onTestFinished(() => void stranger.kill('SIGKILL'))
  const processes = { etcd: { pid: stranger.pid, startedAt: 'another time' } }
  await writeFile(join(place.dir, 'state.json'), JSON.stringify({ port: 1, nodes: 'none', processes }))
  expect(await controlPlaneStatus(place)).toMatchObject({ state: 'stopped' })
  expect(await controlPlaneDown(place)).toEqual([])
  expect(identify(stranger.pid ?? 0)).toBeDefined()
})

test('without a control plane there is no kubeconfig, and the fix is named', async () => {
  const place = await freshPlace()
  await expect(controlPlaneKubeconfig(place)).rejects.toThrow('start one with caelus control-plane up')
})
