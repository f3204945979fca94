import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import { type Given, type Query, statement } from '../../platform/db/statement.ts'

export const PROGRESS_CHANNEL = 'reelkeep_progress'

const notify = statement(
  ({ organizationId, assetId }: Given<{ assetId: AssetId }>) => sql`
    select from (select pg_notify(${sql.lit(PROGRESS_CHANNEL)}, ${organizationId}::text || ' ' || ${assetId}::text)) as notified`,
)

/** Notifies event streams of an asset's progress. Not stored. */
export const notifyProgressQuery = (assetId: AssetId): Query<unknown> => notify({ assetId })
