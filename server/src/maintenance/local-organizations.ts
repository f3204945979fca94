/**
 * The organizations that storage maintenance covers: those hosted here. If an organization is suspended by the
 * operator, or because it is about to be migrated, all of its rows and objects are here: they are copied and compared
 * as usual, but nothing is deleted or processed again. An organization that is arriving is incomplete, and one that has
 * left is in another cell: its missing objects and orphans are part of a migration, which handles them.
 */
import { eachOrganization } from '../modules/organizations/organizations.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { isSuspended } from '../platform/db/suspension.ts'
import { selectElsewhereCount, selectHostingRow } from './local-organizations.store.ts'

export type LocalOrganization = { readonly db: OrganizationDb; readonly isSuspended: boolean }

/** Needs a database opened as the owner. The state of each organization is read just before it is returned. */
export async function* eachLocalOrganization(
  database: Database,
): AsyncGenerator<LocalOrganization> {
  for await (const id of eachOrganization(database)) {
    const db = database.forOrganization(id)
    const state = await hostingStateOf(db)
    if (localStates.has(state)) yield { db, isSuspended: state === 'suspended' }
  }
}

/** Whether all rows and objects of the organization are here. */
export async function isLocal(db: OrganizationDb): Promise<boolean> {
  return localStates.has(await hostingStateOf(db))
}

/** Whether the organization is here and not suspended, so that it may be changed. */
export async function isActive(db: OrganizationDb): Promise<boolean> {
  return (await hostingStateOf(db)) === 'active'
}

type HostingState = 'active' | 'suspended' | 'elsewhere' | 'unknown'
const localStates: ReadonlySet<HostingState> = new Set(['active', 'suspended'])

export async function hostingStateOf(db: OrganizationDb): Promise<HostingState> {
  const { isKnown, suspensionReason } = await selectHostingRow(db)
  if (suspensionReason === 'arriving' || suspensionReason === 'gone') return 'elsewhere'
  if (suspensionReason !== null) return 'suspended'
  return isKnown ? 'active' : 'unknown'
}

/** The number of skipped organizations. */
export const countElsewhere = (database: Database): Promise<number> =>
  selectElsewhereCount(database)

/**
 * Returns `otherwise` if the organization was suspended during the work, so that the caller continues with the next
 * one.
 */
export async function unlessSuspended<Result>(
  work: Promise<Result>,
  otherwise: Result,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (isSuspended(error)) return otherwise
    throw error
  }
}
