import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { DrmKeys } from './drm-keys.ts'
import type { ProviderName, Signalling } from './providers/key-provider.ts'

/** All that is kept of a video's keys: nothing that opens it. */
export type NotedDrm = {
  readonly provider: ProviderName
  readonly scheme: DrmKeys['scheme']
  /** Boxes, in base64. */
  readonly pssh: readonly string[]
  readonly signalling: readonly Signalling[]
  readonly fingerprint: string
}

type OfAsset = { readonly assetId: AssetId }

const noted = statement(
  (given: Given<OfAsset>) => sql<NotedDrm>`
    select provider, scheme, pssh, signalling, fingerprint from asset_drm
    where organization_id = ${given.organizationId} and asset_id = ${given.assetId}`,
)

// It waits for another that is about to enter the same one.
const enter = takesLong(
  statement(
    (
      given: Given<
        OfAsset & Omit<NotedDrm, 'pssh' | 'signalling'> & { pssh: string; signalling: string }
      >,
    ) => sql`
      insert into asset_drm (organization_id, asset_id, provider, scheme, pssh, signalling, fingerprint)
      values (${given.organizationId}, ${given.assetId}, ${given.provider}, ${given.scheme},
        ${given.pssh}::jsonb, ${given.signalling}::jsonb, ${given.fingerprint})
      on conflict do nothing`,
  ),
)

/** Undefined before its first segment is made. */
export async function findDrm(db: OrganizationDb, assetId: AssetId): Promise<NotedDrm | undefined> {
  const [[found]] = await db.run(noted({ assetId }))
  return found
}

/** Whoever is first decides. */
export async function insertDrm(
  db: OrganizationDb,
  assetId: AssetId,
  { pssh, signalling, ...more }: NotedDrm,
): Promise<void> {
  const written = { pssh: JSON.stringify(pssh), signalling: JSON.stringify(signalling) }
  await db.run(enter({ assetId, ...more, ...written }))
}
