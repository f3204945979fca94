import { refused } from '../../kernel/errors.ts'
import { newOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { asOrganizationId, type Organization } from './organizations.rules.ts'
import {
  insertOrganization,
  isOrganization,
  selectIds,
  selectOrganizations,
  writeOpenness,
} from './organizations.store.ts'

export { asOrganizationId }

/** For the administrator's command line: needs a database opened as the owner. */
export async function createOrganization(
  database: Database,
  wish: { readonly name: string; readonly id: string | undefined },
): Promise<OrganizationId> {
  const id = wish.id === undefined ? newOrganizationId() : asOrganizationId(wish.id)
  const isNew = await insertOrganization(
    database.forOrganization(id),
    cleanTitle(wish.name, 'name'),
  )
  if (!isNew) throw refused('invalid_request', `There is an organization ${id} already.`, 'id')
  return id
}

/** A database handle of an organization that exists; needs a database opened as the owner. */
export async function enterOrganization(database: Database, id: string): Promise<OrganizationDb> {
  const db = database.forOrganization(asOrganizationId(id))
  if (await isOrganization(db)) return db
  throw refused('organization_not_found', `There is no organization ${id}. See list-organizations.`)
}

/**
 * Whether its videos without content protection may be watched without a token; needs a database
 * opened as the owner.
 */
export const setOpen = (db: OrganizationDb, isOpen: boolean): Promise<void> =>
  writeOpenness(db, isOpen)

/** More than a terminal shows; an operator with more of them has a directory of their own. */
const ORGANIZATIONS_LISTED_MAX = 10_000

/** Every organization of this cell, oldest first; needs a database opened as the owner. */
export function listOrganizations(database: Database): Promise<Organization[]> {
  return selectOrganizations(database, ORGANIZATIONS_LISTED_MAX)
}

/** Read at a time. */
const STRETCH = 500

/** All of them, however many; needs a database opened as the owner. */
export async function* eachOrganization(database: Database): AsyncGenerator<OrganizationId> {
  let after = ''
  do {
    const ids = await selectIds(database, after, STRETCH)
    yield* ids
    after = ids.length < STRETCH ? '' : (ids.at(-1) ?? '')
  } while (after !== '')
}
