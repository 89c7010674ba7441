/** As OpenAPI writes it: `/jobs/:id([^:]+)::fail`, which the router reads, becomes `/jobs/{id}:fail`. */
export const routeTemplate = (pattern: string): string =>
  pattern.replaceAll(/::|:(\w+)(?:\([^)]*\))?/g, (_, name?: string) => (name === undefined ? ':' : `{${name}}`))
