import { Type, type Static, type TSchema } from 'typebox'

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'At most this many. Default: 50.' })),
  cursor: Type.Optional(Type.String({ maxLength: 1024, description: '`next_cursor` of the page before.' })),
})
export type PageQuery = Static<typeof PageQuery>

export interface Page<T> {
  items: T[]
  /** null: this was the last page. */
  next_cursor: string | null
}

export const pageOf = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'null: this was the last page.' }),
  })
