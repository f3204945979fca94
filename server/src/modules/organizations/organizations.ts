import { refused } from '../../kernel/errors.ts'
import { newOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { Precondition } from '../../platform/http/responses/entity-tag.ts'
import { recordEvents } from '../events/events.ts'
import { organizationUpdated } from './organizations.events.ts'
import {
  changedSettings,
  drmNotConfigured,
  isSameSettings,
  type Organization,
  type OrganizationWithSettings,
  parseOrganizationId,
  type SettingsChange,
  versionOf,
} from './organizations.rules.ts'
import {
  findSettings,
  insertOrganization,
  isOrganization,
  lockSettings,
  selectIds,
  selectOrganizations,
  selectSettings,
  updateIsOpen,
  updateSettings,
} from './organizations.store.ts'

export { parseOrganizationId, versionOf }

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

export const readSettings = (db: OrganizationDb): Promise<OrganizationWithSettings> => selectSettings(db)

/** Days that deleted assets and folders stay in the trash; 0 if they are purged at once. */
export const readTrashDays = async (db: OrganizationDb): Promise<number> => (await selectSettings(db)).trashDays

type SettingsUpdate = {
  readonly change: SettingsChange
  /** Whether the service can protect videos with DRM. */
  readonly hasDrm: boolean
  /** Throws unless the organization may be changed in its current version. */
  readonly assertVersion?: Precondition
}

export async function changeSettings(
  db: OrganizationDb,
  { change, hasDrm, assertVersion }: SettingsUpdate,
): Promise<OrganizationWithSettings> {
  if (change.contentProtection === 'drm' && !hasDrm) throw drmNotConfigured()
  return db.transaction(async (tx) => {
    const before = await lockSettings(tx)
    assertVersion?.(versionOf(before))
    const settings = changedSettings(before, change)
    if (isSameSettings(settings, versionOf(before))) return before
    const changed = await updateSettings(tx, settings)
    await recordEvents(tx, organizationUpdated(changed))
    return changed
  })
}

/** Origins of the pages that may embed the player; empty for all, and for an organization that does not exist. */
export const readEmbedOrigins = async (db: OrganizationDb): Promise<readonly string[]> =>
  (await findSettings(db))?.embedOrigins ?? []

/** Sets the origins of the pages that may embed the player; none for all. Requires a connection of the owner role. */
export async function setEmbedOrigins(db: OrganizationDb, origins: readonly string[]): Promise<readonly string[]> {
  return (await changeSettings(db, { change: { embedOrigins: origins }, hasDrm: true })).embedOrigins
}

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
