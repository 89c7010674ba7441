import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { start } from '../cli/caelus.ts'

const CAELUS = join(import.meta.dirname, '../../bin/caelus.mjs')

interface Cluster {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly hibernated: boolean
  readonly status_failure: { readonly code: string } | null
  readonly shoot: { readonly namespace: string; readonly name: string } | null
}

test(
  'up with a real Gardener converges its demo, finds it again, and obeys Gardener',
  { timeout: 600_000 },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'caelus-real-clusters-'))
    const env = { CAELUS_DATA_DIR: dir, CAELUS_PORT: '0' }
    const up = () => start(['up', '--no-control-plane', '--gardener', 'real'], env)
    const caelus = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await start(args, env, CAELUS).ended
      expect([code, err.includes('error:') ? err : '']).toEqual([0, ''])
      return out
    }
    const list = async (): Promise<Cluster[]> => JSON.parse(await caelus('list-clusters', '-o', 'json')) as Cluster[]
    const states = async () =>
      Object.fromEntries(
        (await list()).map(({ name, status, hibernated, status_failure }) => [
          name,
          [status, hibernated, status_failure?.code ?? null],
        ]),
      )
    const CONVERGED = {
      prod: ['ready', false, null],
      staging: ['ready', true, null],
      training: ['error', false, 'InfrastructureQuota'],
    }
    const shoots = async () => (await list()).map(({ id, shoot }) => [id, shoot?.namespace, shoot?.name])
    try {
      await using first = up()
      await first.says(/Clusters converge in a garden of this machine/)
      await expect.poll(states, { timeout: 180_000 }).toEqual(CONVERGED)
      const made = await shoots()

      const dry = await caelus('update-cluster', 'prod', '--kubernetes-version', '1.35', '--dry-run')
      expect(dry).toMatch(
        /^prod would be accepted\n~ Shoot\n {2}~ spec\.kubernetes\.version: "1\.34\.\d+" -> "1\.35\.\d+"\n/,
      )
      expect(dry).not.toContain('  + spec.')
      const older = ['update-cluster', 'prod', '--kubernetes-version', '1.33', '--dry-run']
      const refused = await start(older, env, CAELUS).ended
      expect(refused.code).toBe(1)
      expect(refused.out).toMatch(/^prod would be refused\n! kubernetes_version: /)
      expect(await caelus('get-kubeconfig', 'prod')).toContain('client-certificate-data')

      // An organization without a project: admission answers in the namespace of the operators.
      await caelus('create-organization', 'newcomer')
      const create = ['create-cluster', 'first', '--organization', 'newcomer', '--region', 'local', '--dry-run']
      const wanted = [...create, '--kubernetes-version', '1.34', '--node-pool', 'default=local:1-3']
      const fine = await caelus(...wanted)
      expect(fine).toMatch(/^first would be accepted, as far as it could be checked\n/)
      expect(fine).toMatch(/! not checked: .*checked all fields elsewhere: quotas/)
      const short = await start([...wanted, '--maintenance', '220000+0000,221000+0000'], env, CAELUS).ended
      expect([short.code, short.out]).toEqual([
        1,
        expect.stringMatching(/^first would be refused\n! maintenance: time window must not be smaller than 30m0s/),
      ])

      first.child.kill('SIGTERM')
      expect(await first.ended).toMatchObject({ code: 0 })
      await using second = up()
      await second.says(/Clusters converge in a garden of this machine/)
      await expect.poll(states, { timeout: 60_000 }).toEqual(CONVERGED)
      expect(await shoots()).toEqual(made)
      await caelus('delete-cluster', 'prod', '--wait')
      expect((await list()).map(({ name }) => name).toSorted()).toEqual(['staging', 'training'])
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  },
)
