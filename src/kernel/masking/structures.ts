interface Masks {
  readonly text: (text: string) => string
  /** For keys and numbers, where equality with a secret of few characters means nothing. */
  readonly name: (text: string) => string
}

/**
 * A copy with all texts masked: values, keys, numbers that are a secret, and the message, stack and causes of errors.
 * Objects of other classes are copied as JSON would write them.
 */
export function maskedValue<T>(value: T, masks: Masks): T {
  return visit(value, masks, new Map()) as T
}

function visit(value: unknown, masks: Masks, copies: Map<object, unknown>): unknown {
  if (typeof value === 'string') return masks.text(value)
  if (typeof value === 'number' || typeof value === 'bigint') {
    const masked = masks.name(String(value))
    return masked === String(value) ? value : masked
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (value instanceof Error) return visitError(value, masks, copies)
  if (Array.isArray(value)) {
    const list: unknown[] = []
    copies.set(value, list)
    for (const item of value) list.push(visit(item, masks, copies))
    return list
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return visit(value.toJSON(), masks, copies)
  const copy = {}
  copies.set(value, copy)
  copyFields(value, copy, masks, copies)
  return copy
}

/** Keeps the class, so that the copy is caught and classified like the original. */
function visitError(error: Error, masks: Masks, copies: Map<object, unknown>): Error {
  const copy: Error = Object.setPrototypeOf(new Error(masks.text(error.message)), Object.getPrototypeOf(error))
  copies.set(error, copy)
  hide(copy, 'stack', masks.text(error.stack ?? ''))
  if ('cause' in error) hide(copy, 'cause', visit(error.cause, masks, copies))
  if (error instanceof AggregateError) hide(copy, 'errors', visit(error.errors, masks, copies))
  copyFields(error, copy, masks, copies)
  return copy
}

/** As errors have their fields: not enumerable. */
const hide = (error: Error, name: string, value: unknown): void =>
  void Object.defineProperty(error, name, { value, writable: true, configurable: true, enumerable: false })

function copyFields(from: object, to: object, masks: Masks, copies: Map<object, unknown>): void {
  for (const [key, inner] of Object.entries(from)) {
    const value = visit(inner, masks, copies)
    Object.defineProperty(to, freeKey(to, masks.name(key)), {
      value,
      writable: true,
      configurable: true,
      enumerable: true,
    })
  }
}

/** Two keys that become equal stay two. */
function freeKey(object: object, key: string): string {
  for (let count = 1; ; count++) {
    const free = count === 1 ? key : `${key} ${count}`
    if (!Object.hasOwn(object, free)) return free
  }
}
