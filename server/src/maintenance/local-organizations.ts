/**
 * The organizations that storage maintenance covers: those hosted here. If an organization is suspended by the
 * operator, or because it is about to be migrated, all of its rows and objects are here: they are copied and compared
 * as usual, but nothing is deleted or processed again. An organization that is arriving is incomplete, and one that has
 * left is in another cell: its missing objects and orphans are part of a migration, which handles them.
 */
import { eachOrganization } from '../modules/organizations/organizations.ts'
import { organizationState } from '../modules/suspension/suspension.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { isSuspended } from '../platform/db/suspension.ts'

export type LocalOrganization = { readonly db: OrganizationDb; readonly isSuspended: boolean }

/**
 * Returns the organizations hosted here. Needs a database opened as the owner. The state of each organization is read
 * just before it is returned.
 */
export async function* localOrganizations(database: Database): AsyncGenerator<LocalOrganization> {
  for await (const id of eachOrganization(database)) {
    const db = database.forOrganization(id)
    const state = await hostingState(db)
    if (localStates.has(state)) yield { db, isSuspended: state === 'suspended' }
  }
}

/** Whether all rows and objects of the organization are here. */
export async function isLocal(db: OrganizationDb): Promise<boolean> {
  return localStates.has(await hostingState(db))
}

/** Whether the organization is here and not suspended, so that it may be changed. */
export async function isActive(db: OrganizationDb): Promise<boolean> {
  return (await hostingState(db)) === 'active'
}

type HostingState = 'active' | 'suspended' | 'elsewhere' | 'unknown'
const localStates: ReadonlySet<HostingState> = new Set(['active', 'suspended'])

export async function hostingState(db: OrganizationDb): Promise<HostingState> {
  const { exists, why } = await organizationState(db)
  if (why === 'arriving' || why === 'gone') return 'elsewhere'
  if (why !== null) return 'suspended'
  return exists ? 'active' : 'unknown'
}

/**
 * Returns `otherwise` if the organization was suspended during the work, so that the caller continues with the next
 * one.
 */
export async function unlessSuspended<Result>(work: Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (isSuspended(error)) return otherwise
    throw error
  }
}
