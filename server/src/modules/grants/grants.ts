/**
 * Limits of new credentials: a token, signing key, webhook or access token never exceeds the scopes, the folder and the
 * expiry of the token or member that creates it.
 */
import type { Creator, Scope } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { FolderUuid, PrincipalId } from '../../kernel/ids.ts'
import type { Limits } from '../../kernel/limits.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { asExpiry, earlierExpiry } from './expiry.rules.ts'
import { assertMayGrant, assertMayRevoke, mayGrant } from './grants.rules.ts'
import {
  type CreatorRow,
  creator,
  creatorColumns,
  findFolder,
  hasOwner,
  isLive,
  lockLivePrincipal,
} from './grants.store.ts'

export type { CreatorRow }
export { asExpiry, assertMayGrant, assertMayRevoke, creator, creatorColumns, earlierExpiry, isLive, mayGrant }

/** The token or member that grants, or an admin command, which may grant everything. */
export type Grantor = { readonly id: PrincipalId } | 'system'

/** The limits of a grantor. */
export type Grant = {
  readonly createdBy: PrincipalId | null
  readonly scopes: readonly Scope[]
  /** Null if it does not expire. */
  readonly expiresAt: Timestamp | null
  /** Null if it is not limited to a folder. */
  readonly folderUuid: FolderUuid | null
  readonly ownOnly: boolean
}

/** The operator's admin commands may grant everything. */
export const systemGrant: Grant = {
  createdBy: null,
  scopes: ['*'],
  expiresAt: null,
  folderUuid: null,
  ownOnly: false,
}

/**
 * Reads the limits of the grantor and locks its row until the end of the transaction. A revocation on any instance
 * therefore happens either before, and then this throws, or after the created credential is stored.
 */
export async function lockGrant(tx: OrganizationDb, grantor: Grantor): Promise<Grant> {
  if (grantor === 'system') return systemGrant
  const grant = await findGrant(tx, grantor.id)
  if (!grant) throw refused('unauthenticated', 'The token was revoked or has expired. Use another token.')
  return grant
}

/** Like `lockGrant`, but returns undefined for a token or member that was revoked or has expired. */
export async function findGrant(tx: OrganizationDb, id: PrincipalId): Promise<Grant | undefined> {
  // The limits of the request may be a few seconds older than those of the row.
  const granted = await tx.withLimits(undefined, (all) => lockLivePrincipal(all, id))
  return granted && { ...granted, createdBy: id }
}

/** Like `lockGrant`, for members and roles: only a principal that sees the whole organization manages them. */
export async function lockUnlimitedGrant(tx: OrganizationDb, grantor: Grantor): Promise<Grant> {
  const grant = await lockGrant(tx, grantor)
  if (!grant.ownOnly && grant.folderUuid === null) return grant
  throw refused(
    'outside_folder',
    'A token or member whose access is limited cannot manage members and roles. Ask an owner of the organization.',
  )
}

/** Throws unless an owner remains. Call it after the change of an owner, while the principals are locked. */
export async function assertOwnerRemains(tx: OrganizationDb): Promise<void> {
  if (await hasOwner(tx)) return
  throw refused(
    'last_owner',
    'The organization would have no owner whose access is not limited to a folder and does not expire. Make another member an owner first.',
  )
}

/** The limits of a new principal. */
export type PrincipalLimits = Pick<Grant, 'folderUuid' | 'ownOnly'>

type LimitedRow = PrincipalLimits & { readonly id: PrincipalId }

/** The limits of a principal's row in `tokens`; nothing for an unlimited one. */
export const limitsOf = ({ id, folderUuid, ownOnly }: LimitedRow): { readonly limits?: Limits } =>
  folderUuid === null && !ownOnly
    ? {}
    : { limits: { ...(folderUuid !== null && { folderUuid }), ...(ownOnly && { createdBy: id }) } }

/**
 * The limits of a new principal: those of the grantor, or a folder inside them. Throws if the folder does not exist
 * there. Null asks for the folder of the grantor.
 */
export async function limitsForNew(tx: OrganizationDb, grant: Grant, folder: string | null): Promise<PrincipalLimits> {
  const { createdBy: id, folderUuid, ownOnly } = grant
  if (folder === null) return { folderUuid, ownOnly }
  const limits = id === null ? undefined : limitsOf({ id, folderUuid, ownOnly }).limits
  const found = await tx.withLimits(limits, (inside) => findFolder(inside, folder))
  if (found !== undefined) return { folderUuid: found, ownOnly }
  throw refused('target_folder_not_found', `Folder ${folder} does not exist in this organization.`, 'folder_uuid')
}

/** The creator of a row, as the API returns it. */
export function toCreator({ createdBy, creator }: CreatorRow): Creator {
  if (createdBy === null) return { kind: 'system', id: null, name: null }
  const [kind = 'token', name = null] = creator ?? []
  return { kind, id: createdBy, name }
}
