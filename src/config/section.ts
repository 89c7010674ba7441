import type { Config } from './read.ts'
import type { Variable } from './variable.ts'

export type Variables = Readonly<Record<string, Variable<unknown>>>

type ValueOf<V> = V extends Variable<infer T> ? T : never

/** The values of a section, under the names of its variables in the code. */
export type ValuesOf<S extends Section> = { readonly [N in keyof S['variables']]: ValueOf<S['variables'][N]> }

/** Variables that are read together: those of one domain, or of one part of the program. */
export interface Section<V extends Variables = Variables> {
  /** Its heading in the reference. */
  readonly title: string
  /** Which commands read it. */
  readonly readBy: string
  /** Commands that read the section refuse unknown variables that begin so, as all commands refuse those of CAELUS_. */
  readonly prefix?: string
  readonly variables: V
  /** Problems between values that are each valid. */
  check?(own: ValuesOf<Section<V>>, config: Config): (string | false)[]
  /** Texts to mask beside the values of secret variables. */
  secrets?(own: ValuesOf<Section<V>>): string[]
}

/** Infers the types of a section's values. */
export const section = <const V extends Variables>(made: Section<V>): Section<V> => made
