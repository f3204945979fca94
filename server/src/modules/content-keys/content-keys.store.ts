import { sql } from 'kysely'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'

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

// Waits for a concurrent insert of the same row.
const enter = dedicatedConnection(
  statement(
    (given: Given<MasterKeyRow>) => sql<{ generation: number }>`
      insert into organization_master_keys (organization_id, generation, key_encryption_id, wrapped)
      values (${given.organizationId}, ${given.generation}, ${given.keyEncryptionId}, ${given.wrapped})
      on conflict do nothing returning generation`,
  ),
)

const protect = dedicatedConnection(
  statement(
    (given: Given<OfAsset & { generation: number }>) => sql`
      insert into asset_protections (organization_id, asset_id, generation)
      select ${given.organizationId}, ${given.assetId}, ${given.generation}
      where not exists (
        select from rendition_parts where organization_id = ${given.organizationId} and asset_id = ${given.assetId})
      on conflict do nothing`,
  ),
)

/** Master key of the asset; undefined if the asset is not protected yet. */
export async function findKeyOf(db: OrganizationDb, assetId: AssetId): Promise<MasterKeyRow | undefined> {
  const [[found]] = await db.run(ofAsset({ assetId }))
  return found
}

/** The newest master key. Undefined until the organization has a protected video. */
export async function findNewestKey(db: OrganizationDb): Promise<MasterKeyRow | undefined> {
  const [[found]] = await db.run(newest({}))
  return found
}

/** Returns false if the generation already exists. */
export async function insertKey(db: OrganizationDb, key: MasterKeyRow): Promise<boolean> {
  const [rows] = await db.run(enter(key))
  return rows.length > 0
}

/** Assigns a master key to an asset. Does nothing if the asset already has one or has unprotected segments. */
export async function insertProtection(db: OrganizationDb, assetId: AssetId, generation: number): Promise<void> {
  await db.run(protect({ assetId, generation }))
}

export type OrganizationKeyRow = MasterKeyRow & {
  readonly organizationId: OrganizationId
  readonly isSuspended: boolean
}

type WrappedByOthers = {
  readonly keyEncryptionId: string
  readonly afterOrganization: string
  readonly afterGeneration: number
  readonly limit: number
}

const wrappedByOthers = statement(
  (given: Given<WrappedByOthers>) => sql<OrganizationKeyRow>`
    select organization_id as "organizationId", ${row}, exists (
      select from held_organizations held where held.organization_id = organization_master_keys.organization_id) as "isSuspended"
    from organization_master_keys
    where key_encryption_id <> ${given.keyEncryptionId}
      and (organization_id, generation) > (${given.afterOrganization}, ${given.afterGeneration})
    order by organization_id, generation limit ${given.limit}`,
)

type PageAfter = { readonly after: OrganizationKeyRow | undefined; readonly limit: number }

/**
 * Master keys of all organizations that are wrapped with a key other than `keyEncryptionId`. Requires a connection of
 * the owner role.
 */
export const selectKeysWrappedByOthers = (
  database: Database,
  keyEncryptionId: string,
  { after, limit }: PageAfter,
): Promise<OrganizationKeyRow[]> => {
  const [afterOrganization, afterGeneration] = [after?.organizationId ?? '', after?.generation ?? 0]
  return database.runUnscoped(wrappedByOthers({ keyEncryptionId, afterOrganization, afterGeneration, limit }))
}

const replace = statement(
  (given: Given<MasterKeyRow & { before: Buffer }>) => sql`
    update organization_master_keys set key_encryption_id = ${given.keyEncryptionId}, wrapped = ${given.wrapped}
    where organization_id = ${given.organizationId} and generation = ${given.generation} and wrapped = ${given.before}`,
)

/** Replaces a wrapped master key. Does nothing if the row was changed concurrently. */
export async function updateKey(db: OrganizationDb, key: MasterKeyRow, before: Buffer): Promise<void> {
  await db.run(replace({ ...key, before }))
}
