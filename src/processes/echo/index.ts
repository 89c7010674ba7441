import type { Domain } from '../domain.ts'

/** The built-in example: no variables, commands or routes, only a demo in `caelus up`. */
export const echo: Domain = {
  name: 'echo',
  open: async () => (await import('./process.ts')).echoProcess(),
}
