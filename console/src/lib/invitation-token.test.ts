// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { forgetInvitationToken, invitationToken, keepInvitationToken, onInvitationLink } from './invitation-token.ts'

test('keeps the token of a link until it is used, and nothing else that an address ends with', () => {
  keepInvitationToken({ pathname: '/apps', hash: '#content' })
  keepInvitationToken({ pathname: '/organizations/accept', hash: '' })
  expect(invitationToken()).toBeUndefined()
  keepInvitationToken({ pathname: '/organizations/accept', hash: '#cinv_1' })
  expect(invitationToken()).toBe('cinv_1')
  forgetInvitationToken()
  expect(invitationToken()).toBeUndefined()
})

test('keeps the token of another link that is opened in the same tab', () => {
  history.replaceState(null, '', '/organizations/accept#cinv_2')
  let changes = 0
  const stop = onInvitationLink(() => changes++)
  window.dispatchEvent(new Event('hashchange'))
  stop()
  window.dispatchEvent(new Event('hashchange'))
  expect([changes, invitationToken()]).toEqual([1, 'cinv_2'])
})
