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
