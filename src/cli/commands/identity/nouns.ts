import { allPages, type RestClient } from '../../client.ts'
import { firstOf, isId, isSame, onlyOne, type Noun } from '../../find-by-name.ts'
import { defineFailures } from '../../../kernel/index.ts'

const raise = defineFailures({
  NoSuchUser: { whoseMove: 'user', retryable: false, nextStep: 'Name them as `caelus list-users` shows them.' },
  NoSuchOrganization: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'List your organizations with `caelus list-organizations`.',
  },
  NoSuchMember: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'List the members with `caelus list-members <organization>`.',
  },
})

export const USER: Noun = {
  name: 'user',
  named: 'their email or id, as list-users shows it',
  noSuch: raise.NoSuchUser,
}

export const ORGANIZATION: Noun = {
  name: 'organization',
  named: 'its name or id, as list-organizations shows it',
  noSuch: raise.NoSuchOrganization,
}

export const MEMBER: Noun = {
  name: 'member',
  named: 'their email or id, as list-members shows it',
  noSuch: raise.NoSuchMember,
}

/** The caller, as `GET /me` answers. */
export interface Me {
  readonly id: string
  readonly email: string
  readonly role: string
}

/** The id of a user; without a name, of the caller. Members see only themselves. */
export async function userNamed(client: RestClient, named?: string): Promise<string> {
  if (named !== undefined && isId(named)) return named
  const me = await client.get<Me>('/me')
  if (named === undefined || isSame(named, me.email)) return me.id
  const found = await allPages<Me>(client, '/users', { email: named })
  const known = found.length > 0 ? [] : await firstOf<Me>(client, '/users')
  return onlyOne(
    USER,
    named,
    found,
    known.map(({ email }) => email),
  ).id
}
