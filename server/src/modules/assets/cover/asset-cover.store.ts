import { sql } from 'kysely'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'
import type { Asset } from '../assets.rules.ts'
import { type ById, insertTimelineEntry, type NewTimelineEntry, ofId, rowColumns } from '../assets.store.ts'

const setRequest = statement(
  (given: Given<ById & { request: string | null }>) => sql<Asset>`
    update assets set cover_request = ${given.request} where ${ofId(given)} returning ${rowColumns}`,
)

/** Sets or removes the id of the cover that is being created. */
export async function writeRequest(
  tx: OrganizationDb,
  { id }: Asset,
  request: string | null,
): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(setRequest({ id, request }))
  return asset
}

const setCover = statement(
  (given: Given<ById & { key: string | null }>) => sql<Asset>`
    update assets set custom_cover_key = ${given.key}, cover_request = null, updated_at = now()
    where ${ofId(given)} returning ${rowColumns}`,
)

/** Sets the cover, or with null returns to the generated one. */
export async function writeCover(
  tx: OrganizationDb,
  { id }: Asset,
  key: string | null,
  entry: NewTimelineEntry,
): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(setCover({ id, key }), insertTimelineEntry({ id, ...entry }))
  return asset
}
