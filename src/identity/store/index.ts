export { loginStore } from './logins.ts'
export { tokenStore } from './tokens.ts'
export * from './users.ts'
