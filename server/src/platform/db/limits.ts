/** The policies `inside_limits` of the migrations enforce the limits of principals, so no statement can skip them. */
import pg from 'pg'
import { type DomainError, refused } from '../../kernel/errors.ts'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from './database.ts'

/** SQLSTATE of a row that a policy refuses. */
const REFUSED_BY_POLICY_SQLSTATE = '42501'

export const outsideFolder = (field?: string) =>
  refused(
    'outside_folder',
    'You have access to one folder and what is below it, and this request concerns something outside. Choose a place inside the folder.',
    field,
  )

/** The error for the client if a statement was rejected because a row is outside its limits; otherwise undefined. */
export function outsideLimitsError(error: unknown): DomainError | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== REFUSED_BY_POLICY_SQLSTATE) return undefined
  return error.message.includes('"inside_limits') ? outsideFolder() : undefined
}

/** Throws if the folder is the one that the handle is limited to: only principals above it may change it. */
export function assertNotLimitFolder({ limits }: Pick<OrganizationDb, 'limits'>, uuid: FolderUuid): void {
  if (limits?.folderUuid !== uuid) return
  throw refused(
    'outside_folder',
    'Your access is limited to this folder, so you can change what is in it, but not the folder itself.',
  )
}

/** Throws for the root, which is outside of every folder. `field` is the field of the request. */
export function assertNotRoot({ limits }: Pick<OrganizationDb, 'limits'>, folder: string | null, field?: string): void {
  if (folder === null && limits?.folderUuid !== undefined) throw outsideFolder(field)
}
