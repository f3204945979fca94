import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/keyset.ts'
import { type Found, type Order, readingOf, toFound } from '../../platform/db/reading.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { Asset } from '../assets/assets.ts'
import type { Change, Chapter, ChapterSet } from './chapters.rules.ts'

type OfAsset = { readonly assetId: AssetId }

const byStart: Order = { columns: ['start_seconds'], direction: 'asc' }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql<boolean>`organization_id = ${organizationId} and asset_id = ${assetId}`

const columns = sql`id, title, start_seconds as "startSeconds"`

const readPage = readingOf(
  byStart,
  (given: Given<OfAsset>, { isAhead, order, limit }) => sql<Chapter>`
    select ${columns} from chapters where ${ofAsset(given)} and ${isAhead} ${order} limit ${limit}`,
)

const countOf = statement(
  (given: Given<OfAsset>) => sql<{ count: number }>`
    select count(*) as count from chapters where ${ofAsset(given)}`,
)

/** All of them: a set is small. */
const chaptersOf = statement(
  (given: Given<OfAsset>) => sql<Chapter>`
    select ${columns} from chapters where ${ofAsset(given)} order by start_seconds`,
)

/** Waits for whoever is changing the set, and has others wait. */
const lock = takesLong(
  statement(
    ({ organizationId, assetId }: Given<OfAsset>) => sql<{ lastId: number }>`
      insert into chapter_sets as held (organization_id, asset_id)
      values (${organizationId}, ${assetId})
      on conflict (organization_id, asset_id) do update set last_id = held.last_id
      returning last_id as "lastId"`,
  ),
)

const remove = statement(
  (given: Given<OfAsset & { ids: readonly number[] }>) => sql`
    delete from chapters where ${ofAsset(given)} and id = any(${given.ids}::integer[])`,
)

type Columns = {
  readonly ids: readonly number[]
  readonly starts: readonly number[]
  readonly titles: readonly string[]
}

const write = statement(
  ({ organizationId, assetId, ids, starts, titles }: Given<OfAsset & Columns>) => sql`
    insert into chapters (organization_id, asset_id, id, start_seconds, title)
    select ${organizationId}, ${assetId}, id, start_seconds, title
    from unnest(${ids}::integer[], ${starts}::integer[], ${titles}::text[]) as given (id, start_seconds, title)
    on conflict (organization_id, asset_id, id)
      do update set start_seconds = excluded.start_seconds, title = excluded.title`,
)

const setLastId = statement(
  (given: Given<OfAsset & { lastId: number }>) => sql`
    update chapter_sets set last_id = ${given.lastId} where ${ofAsset(given)}`,
)

export async function selectPage(
  db: OrganizationDb,
  { id: assetId }: Asset,
  request: PageRequest,
): Promise<Found<Chapter>> {
  return toFound(await db.run(readPage({ assetId }, request), countOf({ assetId })))
}

export async function selectAll(db: OrganizationDb, { id: assetId }: Asset): Promise<Chapter[]> {
  const [chapters] = await db.run(chaptersOf({ assetId }))
  return chapters
}

/** Nobody else changes the set until the transaction ends. The asset has to be kept meanwhile. */
export async function lockSet(tx: OrganizationDb, { id: assetId }: Asset): Promise<ChapterSet> {
  const [[held], chapters] = await tx.run(lock({ assetId }), chaptersOf({ assetId }))
  return { lastId: held?.lastId ?? 0, chapters }
}

/** First what goes, so that its start is free for what comes. */
export async function writeChange(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  { removedIds, written, lastId }: Change,
): Promise<void> {
  const columns = {
    ids: written.map(({ id }) => id),
    starts: written.map(({ startSeconds }) => startSeconds),
    titles: written.map(({ title }) => title),
  }
  await tx.run(
    remove({ assetId, ids: removedIds }),
    write({ assetId, ...columns }),
    setLastId({ assetId, lastId }),
  )
}
