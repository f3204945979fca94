import { type TSchema, Type } from 'typebox'

export const PAGE_LIMIT_DEFAULT = 50
export const PAGE_LIMIT_MAX = 100

/** Pagination envelope of list responses. */
export type Page<Item> = {
  count: number
  next: string | null
  previous: string | null
  results: Item[]
}

export function page<Item extends TSchema>(item: Item) {
  return Type.Object({
    count: Type.Integer({
      minimum: 0,
      description: 'Total number of matching items across all pages.',
    }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'URL of the next page, to be requested unchanged. Null on the last page.',
    }),
    previous: Type.Union([Type.String(), Type.Null()], {
      description: 'URL of the previous page, to be requested unchanged. Null on the first page.',
    }),
    results: Type.Array(item),
  })
}

/** Query parameters shared by all lists. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_DEFAULT,
      description: 'Maximum number of items per page.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      format: 'cursor',
      maxLength: 2048,
      description: 'Opaque position of the page, taken from `next` or `previous`. Do not construct it yourself.',
    }),
  ),
}
