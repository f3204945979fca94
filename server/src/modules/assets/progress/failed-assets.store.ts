import type { FailureCode } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'

const failedWith = dedicatedConnection(
  statement(
    ({
      organizationId,
      codes,
      after,
      limit,
    }: Given<{ codes: readonly string[]; after: string | null; limit: number }>) =>
      sql<{ id: AssetId }>`
        select id from assets
        where organization_id = ${organizationId} and status = 'Error' and error_code = any (${codes}::text[])
          and (${after}::uuid is null or id > ${after}::uuid)
        order by id limit ${limit}`,
  ),
)

/** Ids of assets that failed with one of the given error codes, in their order. */
export async function findFailed(
  db: OrganizationDb,
  codes: readonly FailureCode[],
  { after, limit }: { readonly after: AssetId | undefined; readonly limit: number },
): Promise<AssetId[]> {
  const [rows] = await db.run(failedWith({ codes, after: after ?? null, limit }))
  return rows.map(({ id }) => id)
}
