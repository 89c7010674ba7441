/** A JSON object of unknown content. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Own fields only: `constructor` and `__proto__` are names like any other. */
export const fieldOf = (object: Fields, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined
