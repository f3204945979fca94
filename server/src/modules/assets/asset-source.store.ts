/** Queries for the uploaded file of an asset and for processing the asset again. */
import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'
import type { Asset, Source } from './assets.rules.ts'
import { type ById, insertTimelineEntry, type NewTimelineEntry, notProbed, ofId, rowColumns } from './assets.store.ts'

export const sourceById = statement(
  ({ organizationId, id }: Given<{ id: AssetId }>) => sql<Source>`
    select source_key as key, source_version as version, source_etag as etag, coalesce(own_bytes, bytes) as bytes
    from assets
    where organization_id = ${organizationId} and id = ${id} and source_key is not null`,
)

export async function findSource(db: OrganizationDb, id: AssetId): Promise<Source | undefined> {
  const [[source]] = await db.run(sourceById({ id }))
  return source
}

/** Discards all results of earlier processing. */
const resetColumns = sql`status = 'Queued', error_code = null, error_detail = null, playable_at = null,
  cover_key = null, thumbnail_keys = '{}', storyboard_key = null, filmstrip_key = null, waveform_key = null,
  chapter_proposals = null, updated_at = now()`

const setSource = statement(
  (given: Given<Source & ById>) => sql<Asset>`
    update assets set ${resetColumns}, ${notProbed},
      bytes = ${given.bytes}, source_key = ${given.key}, source_version = ${given.version},
      source_etag = ${given.etag}
    where ${ofId(given)}
    returning ${rowColumns}`,
)

const resetProcessing = statement(
  (given: Given<ById>) => sql<Asset>`
    update assets set ${resetColumns} where ${ofId(given)} returning ${rowColumns}`,
)

/** Queries that link the uploaded file to its asset. The first one returns the asset. */
export const acceptSourceQueries = (id: AssetId, source: Source, entry: NewTimelineEntry) =>
  [setSource({ id, ...source }), insertTimelineEntry({ id, ...entry })] as const

export const resetProcessingQueries = (id: AssetId, entry: NewTimelineEntry) =>
  [resetProcessing({ id }), insertTimelineEntry({ id, ...entry })] as const
