import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { kubeconfigAs } from './kubeconfig-as.ts'
import { loadKubeConfig } from './config.ts'

async function written(user: object, currentContext = 'here'): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-kubeconfig-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await writeFile(join(dir, 'token'), 'opaque')
  const path = join(dir, 'kubeconfig')
  const file = {
    clusters: [{ name: 'c', cluster: { server: 'https://kube.example.com' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'n' } }],
    'current-context': currentContext,
  }
  await writeFile(path, JSON.stringify(file))
  return path
}

test('the same server and credentials, impersonating another user, from any directory', async () => {
  const path = await written({ tokenFile: 'token', as: 'before', 'as-groups': ['g'] })
  const elsewhere = join(await mkdtemp(join(tmpdir(), 'caelus-elsewhere-')), 'kubeconfig')
  onTestFinished(() => rm(join(elsewhere, '..'), { recursive: true }))
  await writeFile(elsewhere, await kubeconfigAs(path, { user: 'ada', extra: { 'example.com/why': ['x'] } }))
  const config = await loadKubeConfig({ path: elsewhere })
  expect(config).toMatchObject({ server: 'https://kube.example.com', namespace: 'n' })
  expect(config.impersonate).toEqual({ user: 'ada', extra: { 'example.com/why': ['x'] } })
  expect(await config.credentials.current()).toEqual({ authorization: 'Bearer opaque' })
})

test('without a current context it is refused', async () => {
  await expect(kubeconfigAs(await written({}, 'gone'), { user: 'ada' })).rejects.toThrow(
    /failed to act as ada by kubeconfig/,
  )
})
