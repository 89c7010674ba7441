import { inspect } from 'node:util'
import type { Kind } from './kinds.ts'

/** A value that prints as `[redacted]`. Only `reveal` returns it, so that all its readers can be found by a search. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[redacted]'
  }

  toJSON(): string {
    return '[redacted]'
  }

  [inspect.custom](): string {
    return '[redacted]'
  }
}

export interface Variable<T> {
  readonly name: string
  readonly type: string
  readonly doc: string
  readonly secret: boolean
  /** As one would write it in the environment; absent: there is no value unless set. */
  readonly fallback: string | undefined
  readonly read: (written: string) => T
}

export const variable = <T>(name: string, kind: Kind<T>, fallback: string, doc: string): Variable<T> => ({
  name,
  type: kind.type,
  doc,
  secret: false,
  fallback,
  read: kind.read,
})

export const optional = <T>(name: string, kind: Kind<T>, doc: string): Variable<T | undefined> => ({
  name,
  type: kind.type,
  doc,
  secret: false,
  fallback: undefined,
  read: kind.read,
})

export const secret = (name: string, kind: Kind<string>, doc: string): Variable<Secret | undefined> => ({
  name,
  type: kind.type,
  doc,
  secret: true,
  fallback: undefined,
  read: (written) => new Secret(kind.read(written)),
})
