import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { DrmKeys } from './drm-keys.ts'
import type { ProviderName, Signalling } from './providers/key-provider.ts'

/** Stored DRM data of a video. Contains no keys. */
export type StoredDrm = {
  readonly provider: ProviderName
  readonly scheme: DrmKeys['scheme']
  /** PSSH boxes in base64. */
  readonly pssh: readonly string[]
  readonly signalling: readonly Signalling[]
  readonly fingerprint: string
}

type OfAsset = { readonly assetId: AssetId }

const stored = statement(
  (given: Given<OfAsset>) => sql<StoredDrm>`
    select provider, scheme, pssh, signalling, fingerprint from asset_drm
    where organization_id = ${given.organizationId} and asset_id = ${given.assetId}`,
)

// Waits for a concurrent insert of the same row.
const enter = dedicatedConnection(
  statement(
    (given: Given<OfAsset & Omit<StoredDrm, 'pssh' | 'signalling'> & { pssh: string; signalling: string }>) => sql`
      insert into asset_drm (organization_id, asset_id, provider, scheme, pssh, signalling, fingerprint)
      values (${given.organizationId}, ${given.assetId}, ${given.provider}, ${given.scheme},
        ${given.pssh}::jsonb, ${given.signalling}::jsonb, ${given.fingerprint})
      on conflict do nothing`,
  ),
)

/** DRM data of a video; undefined before its first segment is encoded. */
export async function findDrm(db: OrganizationDb, assetId: AssetId): Promise<StoredDrm | undefined> {
  const [[found]] = await db.run(stored({ assetId }))
  return found
}

/** Inserts the DRM data of a video unless it already exists. */
export async function insertDrm(
  db: OrganizationDb,
  assetId: AssetId,
  { pssh, signalling, ...more }: StoredDrm,
): Promise<void> {
  const written = { pssh: JSON.stringify(pssh), signalling: JSON.stringify(signalling) }
  await db.run(enter({ assetId, ...more, ...written }))
}
