/**
 * Searching titles, in the view whose rows may be found by their grams (see the folders migration).
 *
 * Every statement here is planned anew each time it runs: how best to find "invoice" and "xylophone" is
 * not the same, and a plan made for any needle suits neither.
 */
import { type RawBuilder, sql } from 'kysely'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/keyset.ts'
import { type Given, planAnew, statement } from '../../platform/db/statement.ts'
import { countAll, type Edge, isAfter, isBefore, type Reading, read } from './folder-list.store.ts'
import { type FolderName, ROWS_PROBED_MAX } from './folders.rules.ts'

export type Needle = {
  readonly text: string
  /** Empty for a needle too short to have any. */
  readonly grams: readonly number[]
  /** Undefined: wherever it lies. Null: at the root. */
  readonly parentUuid: FolderUuid | null | undefined
}

type Search = {
  readonly text: string
  readonly grams: readonly number[]
  readonly parentUuid: FolderUuid | null
  readonly isAnywhere: boolean
}

type Condition = RawBuilder<boolean>

const isMatch = ({ organizationId, text, parentUuid, isAnywhere }: Given<Search>): Condition => sql`
  organization_id = ${organizationId} and strpos(search_title, ${text}) > 0
  and (${isAnywhere} or parent_uuid is not distinct from ${parentUuid})`

const hasGrams = (search: Given<Search>): Condition =>
  sql`grams @> ${search.grams}::integer[] and ${isMatch(search)}`

const nowhereYet = sql<boolean>`true`
const forwards = sql`order by title, uuid`
const backwards = sql`order by title desc, uuid desc`

type Shape = (
  search: Given<Search> & { limit: number },
  from: Condition,
  order: RawBuilder<unknown>,
) => RawBuilder<FolderName>

const readingOf = (shape: Shape): Reading<Search> => ({
  start: planAnew(
    statement((given: Given<Search & { limit: number }>) => shape(given, nowhereYet, forwards)),
  ),
  end: planAnew(
    statement((given: Given<Search & { limit: number }>) => shape(given, nowhereYet, backwards)),
  ),
  after: planAnew(
    statement((given: Given<Search & Edge>) => shape(given, isAfter(given), forwards)),
  ),
  before: planAnew(
    statement((given: Given<Search & Edge>) => shape(given, isBefore(given), backwards)),
  ),
})

/** Reads the list in its own order, a bounded way: fills a page at once when matches are common. */
const probe = readingOf(
  (search, from, order) => sql`
    select title, uuid
    from (
      select organization_id, title, uuid, search_title, parent_uuid
      from searchable_folders
      where organization_id = ${search.organizationId} and ${from} ${order} limit ${sql.lit(ROWS_PROBED_MAX)}
    ) as probed
    where ${isMatch(search)} ${order} limit ${search.limit}`,
)

/** Finds every match first and sorts them: quick when they are few, whatever lies around them. */
const sortMatches = (condition: (search: Given<Search>) => Condition) =>
  readingOf(
    (search, from, order) => sql`
      with matches as materialized (
        select title, uuid from searchable_folders where ${condition(search)} and ${from}
      )
      select title, uuid from matches ${order} limit ${search.limit}`,
  )
const sortByGrams = sortMatches(hasGrams)
const sortWithoutGrams = sortMatches(isMatch)

const countMatches = (condition: (search: Given<Search>) => Condition) =>
  planAnew(
    statement(
      (given: Given<Search>) =>
        sql<{
          count: number
        }>`select count(*) as count from searchable_folders where ${condition(given)}`,
    ),
  )
const countByGrams = countMatches(hasGrams)
const countWithoutGrams = countMatches(isMatch)

/** How many folders match, of how many. */
export async function countMatchingFolders(db: OrganizationDb, needle: Needle) {
  const count = needle.grams.length > 0 ? countByGrams : countWithoutGrams
  const [[matches], [total]] = await db.run(count(toSearch(needle)), countAll({}))
  return { matches: matches?.count ?? 0, total: total?.count ?? 0 }
}

/** Matches among the next rows of the list; maybe fewer than asked for although more lie further on. */
export async function probeMatchingFolders(
  db: OrganizationDb,
  needle: Needle,
  request: PageRequest,
) {
  const [rows] = await db.run(read(probe, toSearch(needle), request))
  return rows
}

export async function selectMatchingFolders(
  db: OrganizationDb,
  needle: Needle,
  request: PageRequest,
) {
  const reading = needle.grams.length > 0 ? sortByGrams : sortWithoutGrams
  const [rows] = await db.run(read(reading, toSearch(needle), request))
  return rows
}

const toSearch = ({ text, grams, parentUuid }: Needle): Search => ({
  text,
  grams,
  parentUuid: parentUuid ?? null,
  isAnywhere: parentUuid === undefined,
})
