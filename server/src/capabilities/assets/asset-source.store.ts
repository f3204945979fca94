/** The uploaded file of an asset: that it has come, and that all is made of it once more. */
import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'
import type { Asset, Source } from './assets.rules.ts'
import { type ById, type News, note, ofId, rowColumns } from './assets.store.ts'

export const sourceById = statement(
  ({ organizationId, id }: Given<{ id: AssetId }>) => sql<Source>`
    select source_key as key, source_version as version, source_etag as etag, bytes
    from assets
    where organization_id = ${organizationId} and id = ${id} and source_key is not null`,
)

export async function findSource(db: OrganizationDb, id: AssetId): Promise<Source | undefined> {
  const [[source]] = await db.run(sourceById({ id }))
  return source
}

/** Nothing of what was made of its file counts any more. */
const unmade = sql`status = 'Queued', error_code = null, error_detail = null, playable_at = null,
  cover_key = null, thumbnail_keys = '{}', storyboard_key = null, updated_at = now()`

const setSource = statement(
  (given: Given<Source & ById>) => sql<Asset>`
    update assets set ${unmade}, duration_seconds = null, width = null, height = null,
      bytes = ${given.bytes}, source_key = ${given.key}, source_version = ${given.version},
      source_etag = ${given.etag}
    where ${ofId(given)}
    returning ${rowColumns}`,
)

const setUnmade = statement(
  (given: Given<ById>) => sql<Asset>`
    update assets set ${unmade} where ${ofId(given)} returning ${rowColumns}`,
)

/** The first of them answers the asset. */
export const pinning = (id: AssetId, source: Source, news: News) =>
  [setSource({ id, ...source }), note({ id, ...news })] as const

export const unmaking = (id: AssetId, news: News) =>
  [setUnmade({ id }), note({ id, ...news })] as const
