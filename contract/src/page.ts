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

/** Largest number of matches that a list with `boundedCountPage` counts: a page with it stays fast at any size. */
export const COUNT_MAX = 10_000

/** Like `page`, for a list that is filtered in many ways: the count of a filtered list is exact up to `COUNT_MAX`. */
export function boundedCountPage<Item extends TSchema>(item: Item) {
  const { count, next, previous, results } = page(item).properties
  return Type.Object({
    count: Type.Union([count, Type.Null()], {
      description:
        'Total number of matching items across all pages; null if a filter matches more than 10,000. A list with a filter may be counted only when its first page is read.',
    }),
    count_is_exact: Type.Boolean({ description: 'False if `count` is null.' }),
    next,
    previous,
    results,
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
