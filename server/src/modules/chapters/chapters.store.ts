import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type Order, type RowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { Asset } from '../assets/assets.ts'
import type { Change, Chapter, ChapterSet } from './chapters.rules.ts'
import { toMilliseconds } from './timecodes.rules.ts'

type OfAsset = { readonly assetId: AssetId }

/** The start as a decimal number, so that cursors contain it as clients know it. */
const START = '(start_seconds + start_milliseconds * 0.001)'
const start = sql.raw(START)

const byStart: Order = { columns: [START], fields: ['start_seconds', 'start_milliseconds'], direction: 'asc' }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql<boolean>`organization_id = ${organizationId} and asset_id = ${assetId}`

const columns = sql`id, title, ${start}::float8 as "startSeconds"`

/** Hash of all chapters. A title has no line breaks, so different sets have different texts. */
const HASH = sql<string>`encode(sha256(convert_to(coalesce(
  string_agg(id || ' ' || ${start} || ' ' || title, E'\\n' order by ${start}), ''), 'UTF8')), 'hex')`

type PageOfSet = RowsWithCount<Chapter> & Versioned

/** One statement: with a version newer than its chapters, a client could replace chapters that it has never read. */
const readPage = keysetQuery(
  byStart,
  (given: Given<OfAsset>, { afterPosition, order, limit }) => sql<PageOfSet>`
    select count(*) as count, ${HASH} as version, (
      select coalesce(json_agg(page), '[]') from (
        select ${columns} from chapters where ${ofAsset(given)} and ${afterPosition} ${order} limit ${limit}
      ) as page
    ) as rows
    from chapters where ${ofAsset(given)}`,
)

/** Reads all chapters of an asset, without a limit, because there are few. */
const chaptersOf = statement(
  (given: Given<OfAsset>) => sql<Chapter>`
    select ${columns} from chapters where ${ofAsset(given)} order by start_seconds, start_milliseconds`,
)

const chapterById = statement(
  (given: Given<OfAsset & { id: number }>) => sql<Chapter>`
    select ${columns} from chapters where ${ofAsset(given)} and id = ${given.id}`,
)

const versionOf = statement(
  (given: Given<OfAsset>) => sql<Versioned>`
    select ${HASH} as version from chapters where ${ofAsset(given)}`,
)

/** Locks the set of chapters with an upsert, and waits for concurrent changes. */
const lock = dedicatedConnection(
  statement(
    ({ organizationId, assetId }: Given<OfAsset>) => sql<{ lastId: number }>`
      insert into chapter_sets as existing (organization_id, asset_id)
      values (${organizationId}, ${assetId})
      on conflict (organization_id, asset_id) do update set last_id = existing.last_id
      returning last_id as "lastId"`,
  ),
)

const remove = statement(
  (given: Given<OfAsset & { ids: readonly number[] }>) => sql`
    delete from chapters where ${ofAsset(given)} and id = any(${given.ids}::integer[])`,
)

type Columns = {
  readonly ids: readonly number[]
  /** In milliseconds. */
  readonly starts: readonly number[]
  readonly titles: readonly string[]
}

const write = statement(
  ({ organizationId, assetId, ids, starts, titles }: Given<OfAsset & Columns>) => sql`
    insert into chapters (organization_id, asset_id, id, start_seconds, start_milliseconds, title)
    select ${organizationId}, ${assetId}, id, start / 1000, start % 1000, title
    from unnest(${ids}::integer[], ${starts}::integer[], ${titles}::text[]) as given (id, start, title)
    on conflict (organization_id, asset_id, id)
      do update set start_seconds = excluded.start_seconds,
        start_milliseconds = excluded.start_milliseconds, title = excluded.title`,
)

const setLastId = statement(
  (given: Given<OfAsset & { lastId: number }>) => sql`
    update chapter_sets set last_id = ${given.lastId} where ${ofAsset(given)}`,
)

export async function selectPage(db: OrganizationDb, { id: assetId }: Asset, request: PageRequest): Promise<PageOfSet> {
  const [[page]] = await db.run(readPage({ assetId }, request))
  return page ?? { rows: [], count: 0, version: '' }
}

/** With the version of the set, which changes with every chapter. */
export type Versioned = { readonly version: string }

const versionIn = ([hashed]: readonly Versioned[]) => hashed?.version ?? ''

export async function selectAll(db: OrganizationDb, { id: assetId }: Asset): Promise<Chapter[]> {
  const [chapters] = await db.run(chaptersOf({ assetId }))
  return chapters
}

export async function find(db: OrganizationDb, { id: assetId }: Asset, id: number): Promise<Chapter | undefined> {
  const [[chapter]] = await db.run(chapterById({ assetId, id }))
  return chapter
}

/** Locks the set of chapters until the transaction ends. The caller has locked the asset against deletion. */
export async function lockSet(tx: OrganizationDb, { id: assetId }: Asset): Promise<ChapterSet & Versioned> {
  const [[locked], chapters, hashed] = await tx.run(lock({ assetId }), chaptersOf({ assetId }), versionOf({ assetId }))
  return { lastId: locked?.lastId ?? 0, chapters, version: versionIn(hashed) }
}

/** Deletes first, so that new chapters can use the freed starts. Returns the version of the changed set. */
export async function writeChange(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  { removedIds, written, lastId }: Change,
): Promise<string> {
  const columns = {
    ids: written.map(({ id }) => id),
    starts: written.map(({ startSeconds }) => toMilliseconds(startSeconds)),
    titles: written.map(({ title }) => title),
  }
  const [, , , hashed] = await tx.run(
    remove({ assetId, ids: removedIds }),
    write({ assetId, ...columns }),
    setLastId({ assetId, lastId }),
    versionOf({ assetId }),
  )
  return versionIn(hashed)
}
