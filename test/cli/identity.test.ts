import { expect, test } from 'vitest'
import { installation } from './installation.ts'

test('organizations, members and invitations are managed by commands', async () => {
  await using place = await installation({})
  const { run, json, tried } = place
  await run('create-user', 'bob@example.test')
  expect(await json('create-organization', 'Acme')).toMatchObject({ name: 'Acme', role: 'owner', members: 1 })
  expect(await json('add-member', 'acme', 'bob@example.test', '--role', 'viewer')).toMatchObject({ role: 'viewer' })
  expect(await json('update-member', 'Acme', 'BOB@example.test', '--role', 'owner')).toMatchObject({ role: 'owner' })
  expect(await run('list-members', 'Acme')).toContain('bob@example.test')
  expect(await run('remove-member', 'Acme', 'bob@example.test')).toBe('removed bob@example.test\n')

  const invitation = await json<{ id: string; token: string }>('invite', 'Acme', 'eve@example.test')
  const [open] = await json<{ id: string; role: string }[]>('list-invitations', 'Acme')
  expect(open).toMatchObject({ id: invitation.id, role: 'member' })
  await run('revoke-invitation', 'Acme', invitation.id)
  const refused = await tried('accept-invitation', invitation.token)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('InvitationInvalid')])

  const last = await tried('remove-member', 'Acme', 'ada@example.test')
  expect([last.code, last.err]).toEqual([1, expect.stringContaining('is the last owner of Acme')])
  expect(await json('update-organization', 'Acme', '--name', 'Acme Corp')).toMatchObject({ generation: 2 })
  expect(await run('list-organizations')).toContain('Acme Corp')
  expect((await tried('get-organization', 'Acme Crop')).err).toContain('did you mean "Acme Corp"?')
  expect(await run('delete-organization', 'Acme Corp')).toBe('deleted Acme Corp\n')
  expect(await json('list-organizations')).toEqual([])
})

test('limits and domains of users are managed by commands', async () => {
  await using place = await installation({})
  const { run, json, tried } = place
  await run('create-user', 'bob@example.test')
  expect(await json('get-deployment-limit', 'bob@example.test')).toEqual({ most: 50, is_default: true, deployments: 0 })
  expect(await json('set-deployment-limit', 'bob@example.test', '0')).toMatchObject({ most: 0, is_default: false })
  expect((await tried('set-deployment-limit', 'bob@example.test', 'many')).code).not.toBe(0)
  expect(await json('set-deployment-limit', 'bob@example.test', 'default')).toMatchObject({ most: 50 })

  expect(await json('create-domain', 'Shop.example.com', 'bob@example.test')).toMatchObject({
    suffix: 'shop.example.com',
  })
  expect((await tried('create-domain', 'shop.example.com', 'ada@example.test')).err).toContain('DomainOwned')
  expect((await tried('create-domain', 'x.localhost', 'bob@example.test')).err).toContain('suffix: is reserved')
  expect(await run('list-domains')).toMatch(/shop\.example\.com +bob@example\.test/)
  expect(await run('delete-domain', 'shop.example.com')).toBe('deleted shop.example.com\n')
  expect(await json('list-domains')).toEqual([])
})
