import { type TSchema, Type } from 'typebox'

export const PAGE_LIMIT_DEFAULT = 50
export const PAGE_LIMIT_MAX = 100

/** The envelope of every list response. */
export type Page<Item> = {
  count: number
  next: string | null
  previous: string | null
  results: Item[]
}

export function page<Item extends TSchema>(item: Item) {
  return Type.Object({
    count: Type.Integer({ minimum: 0, description: 'How many items match, on all pages.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Address of the next page; follow it as it is. Null on the last page.',
    }),
    previous: Type.Union([Type.String(), Type.Null()], {
      description: 'Address of the previous page; follow it as it is. Null on the first page.',
    }),
    results: Type.Array(item),
  })
}

/** The query parameters of every list; spread them into a list's own. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_DEFAULT,
      description: 'Items a page.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      format: 'cursor',
      maxLength: 2048,
      description:
        'Where the page begins. Comes with `next` and `previous`; it is not yours to make.',
    }),
  ),
}
