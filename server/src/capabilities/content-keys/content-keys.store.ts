import { sql } from 'kysely'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'

export type MasterKeyRow = {
  readonly generation: number
  readonly keyEncryptionId: string
  readonly wrapped: Buffer
}

type OfAsset = { readonly assetId: AssetId }

const row = sql`generation, key_encryption_id as "keyEncryptionId", wrapped`

const ofAsset = statement(
  (given: Given<OfAsset>) => sql<MasterKeyRow>`
    select ${row} from asset_protections join organization_master_keys using (organization_id, generation)
    where organization_id = ${given.organizationId} and asset_id = ${given.assetId}`,
)

const newest = statement(
  (given: Given<object>) => sql<MasterKeyRow>`
    select ${row} from organization_master_keys where organization_id = ${given.organizationId}
    order by generation desc limit 1`,
)

// It waits for another that is about to enter the same one.
const enter = takesLong(
  statement(
    (given: Given<MasterKeyRow>) => sql<{ generation: number }>`
      insert into organization_master_keys (organization_id, generation, key_encryption_id, wrapped)
      values (${given.organizationId}, ${given.generation}, ${given.keyEncryptionId}, ${given.wrapped})
      on conflict do nothing returning generation`,
  ),
)

const protect = takesLong(
  statement(
    (given: Given<OfAsset & { generation: number }>) => sql`
      insert into asset_protections (organization_id, asset_id, generation)
      select ${given.organizationId}, ${given.assetId}, ${given.generation}
      where not exists (
        select from rendition_parts where organization_id = ${given.organizationId} and asset_id = ${given.assetId})
      on conflict do nothing`,
  ),
)

/** Undefined if the asset is not protected yet. */
export async function findKeyOf(
  db: OrganizationDb,
  assetId: AssetId,
): Promise<MasterKeyRow | undefined> {
  const [[found]] = await db.run(ofAsset({ assetId }))
  return found
}

/** Undefined before the first need. */
export async function findNewestKey(db: OrganizationDb): Promise<MasterKeyRow | undefined> {
  const [[found]] = await db.run(newest({}))
  return found
}

/** False if there is one of that generation already. */
export async function insertKey(db: OrganizationDb, key: MasterKeyRow): Promise<boolean> {
  const [rows] = await db.run(enter(key))
  return rows.length > 0
}

/** Whoever is first decides. Of what has segments without protection nothing is protected: those would pass for it. */
export async function insertProtection(
  db: OrganizationDb,
  assetId: AssetId,
  generation: number,
): Promise<void> {
  await db.run(protect({ assetId, generation }))
}

export type PlacedKeyRow = MasterKeyRow & {
  readonly organizationId: OrganizationId
  readonly isHeld: boolean
}

type UnderOthers = {
  readonly keyEncryptionId: string
  readonly afterOrganization: string
  readonly afterGeneration: number
  readonly limit: number
}

const underOthers = statement(
  (given: Given<UnderOthers>) => sql<PlacedKeyRow>`
    select organization_id as "organizationId", ${row}, exists (
      select from held_organizations held where held.organization_id = organization_master_keys.organization_id) as "isHeld"
    from organization_master_keys
    where key_encryption_id <> ${given.keyEncryptionId}
      and (organization_id, generation) > (${given.afterOrganization}, ${given.afterGeneration})
    order by organization_id, generation limit ${given.limit}`,
)

type Stretch = { readonly after: PlacedKeyRow | undefined; readonly limit: number }

/** Those that are not wrapped with this key, of all organizations; needs a database opened as the owner. */
export const selectKeysUnderOthers = (
  database: Database,
  keyEncryptionId: string,
  { after, limit }: Stretch,
): Promise<PlacedKeyRow[]> => {
  const [afterOrganization, afterGeneration] = [after?.organizationId ?? '', after?.generation ?? 0]
  return database.ask(underOthers({ keyEncryptionId, afterOrganization, afterGeneration, limit }))
}

const replace = statement(
  (given: Given<MasterKeyRow & { before: Buffer }>) => sql`
    update organization_master_keys set key_encryption_id = ${given.keyEncryptionId}, wrapped = ${given.wrapped}
    where organization_id = ${given.organizationId} and generation = ${given.generation} and wrapped = ${given.before}`,
)

/** Unless it is no longer what it was. */
export async function updateKey(
  db: OrganizationDb,
  key: MasterKeyRow,
  before: Buffer,
): Promise<void> {
  await db.run(replace({ ...key, before }))
}
