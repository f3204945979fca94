import { refused } from '../../kernel/errors.ts'
import { newOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Organization, parseOrganizationId } from './organizations.rules.ts'
import {
  insertOrganization,
  isOrganization,
  selectIds,
  selectOrganizations,
  selectTrashDays,
  updateIsOpen,
} from './organizations.store.ts'

export { parseOrganizationId }

/** Used by the admin commands. Requires a database connection of the owner role. */
export async function createOrganization(
  database: Database,
  input: { readonly name: string; readonly id: string | undefined },
): Promise<OrganizationId> {
  const id = input.id === undefined ? newOrganizationId() : parseOrganizationId(input.id)
  const isNew = await insertOrganization(database.forOrganization(id), cleanTitle(input.name, 'name'))
  if (!isNew) throw refused('invalid_request', `Organization ${id} already exists.`, 'id')
  return id
}

/** Database handle of an existing organization. Requires a connection of the owner role. */
export async function requireOrganization(database: Database, id: string): Promise<OrganizationDb> {
  const db = database.forOrganization(parseOrganizationId(id))
  if (await isOrganization(db)) return db
  throw refused('organization_not_found', `Organization ${id} does not exist. See list-organizations.`)
}

/**
 * Sets whether videos without content protection play without a playback token. Requires a
 * connection of the owner role.
 */
export const setOpen = (db: OrganizationDb, isOpen: boolean): Promise<void> => updateIsOpen(db, isOpen)

/** Days that deleted assets and folders stay in the trash; 0 if they are purged at once. */
export const readTrashDays = (db: OrganizationDb): Promise<number> => selectTrashDays(db)

/** Limit of the list: more than a terminal can usefully show. */
const ORGANIZATIONS_LISTED_MAX = 10_000

/** Organizations of this cell, oldest first. Requires a connection of the owner role. */
export function listOrganizations(database: Database): Promise<Organization[]> {
  return selectOrganizations(database, ORGANIZATIONS_LISTED_MAX)
}

/** Organizations per query. */
const PAGE_SIZE = 500

/** Iterates over all organizations. Requires a connection of the owner role. */
export async function* eachOrganization(database: Database): AsyncGenerator<OrganizationId> {
  let after = ''
  do {
    const ids = await selectIds(database, after, PAGE_SIZE)
    yield* ids
    after = ids.length < PAGE_SIZE ? '' : (ids.at(-1) ?? '')
  } while (after !== '')
}
