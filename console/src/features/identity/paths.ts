/** Queries about organizations. */
export const TOPIC = 'organizations'

/** The list of users shows the number of their deployments, which changes with apps. */
export const USERS_TOPIC = 'apps'

const part = encodeURIComponent

/** Paths of the API. */
export const api = {
  user: (id: string): string => `/users/${part(id)}`,
  organization: (id: string): string => `/organizations/${part(id)}`,
  members: (id: string): string => `/organizations/${part(id)}/members`,
  member: (id: string, userId: string): string => `/organizations/${part(id)}/members/${part(userId)}`,
  invitations: (id: string): string => `/organizations/${part(id)}/invitations`,
  invitation: (id: string, invitationId: string): string =>
    `/organizations/${part(id)}/invitations/${part(invitationId)}`,
}

/** Paths of the console. */
export const pages = {
  organizations: '/organizations',
  organization: (id: string): string => `/organizations/${part(id)}`,
  invitations: (id: string): string => `/organizations/${part(id)}/invitations`,
  limits: (id: string): string => `/organizations/${part(id)}/limits`,
  accept: '/organizations/accept',
}
