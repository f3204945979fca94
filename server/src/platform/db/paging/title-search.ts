/** Title search in a view with a GIN index on grams (see the folders migration). */
import { sql } from 'kysely'
import type { Needle } from '../../../kernel/search-text.ts'
import type { Given } from '../statement.ts'
import { type FilteredList, type FilteredQuery, filteredList } from './filtered-list.ts'
import type { Condition } from './keyset-query.ts'

/** Condition on a row: its title contains the text. */
export const hasText = ({ text }: Given<Needle>): Condition => sql`strpos(search_title, ${text}) > 0`

/** The same by the index. Not for a text without grams. */
export const hasGrams = (given: Given<Needle>): Condition =>
  sql`grams @> ${given.grams}::integer[] and ${hasText(given)}`

/**
 * A weaker condition, only to estimate the matches of a common word: Postgres multiplies the frequencies of several
 * grams, as if they were independent, and expects far too few matches.
 */
export const hasFirstGram = ({ firstGram }: Given<{ readonly firstGram: number }>): Condition =>
  sql`grams @> array[${firstGram}::integer]`

export type SearchedList<Filter extends object, Row> = Omit<
  FilteredList<Filter, Row>,
  'isMatch' | 'isMatchingRow' | 'show'
> & {
  /** Condition on the view's rows. */
  readonly isWanted: (given: Given<Filter>) => Condition
  readonly show: FilteredList<Filter & Needle, Row>['show']
}

export function titleSearch<Filter extends object, Row>({
  isWanted,
  ...list
}: SearchedList<Filter, Row>): FilteredQuery<Filter & Needle, Row> {
  const matching = (isFound: (given: Given<Needle>) => Condition) => (given: Given<Filter & Needle>) =>
    sql<boolean>`${isFound(given)} and ${isWanted(given)}`
  const isMatchingRow = matching(hasText)
  const byGrams = filteredList<Filter & Needle, Row>({ ...list, isMatch: matching(hasGrams), isMatchingRow })
  const byText = filteredList<Filter & Needle, Row>({ ...list, isMatch: isMatchingRow, isMatchingRow })
  return (db, search, request) => (search.grams.length > 0 ? byGrams : byText)(db, search, request)
}
