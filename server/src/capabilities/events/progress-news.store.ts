import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import { type Given, type Query, statement } from '../../platform/db/statement.ts'

export const PROGRESS_CHANNEL = 'reelkeep_progress'

const notify = statement(
  ({ organizationId, assetId }: Given<{ assetId: AssetId }>) => sql`
    select from (select pg_notify(${sql.lit(PROGRESS_CHANNEL)}, ${organizationId}::text || ' ' || ${assetId}::text)) as told`,
)

/** Wakes those who show how far assets have come. Nothing is kept of it. */
export const progressQuery = (assetId: AssetId): Query<unknown> => notify({ assetId })
