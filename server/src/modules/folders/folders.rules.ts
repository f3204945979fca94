import { refused } from '../../kernel/errors.ts'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { Metadata } from '../../kernel/metadata.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** Maximum depth of the folder tree. It also bounds every query that follows parents. */
export const DEPTH_MAX = 32

/** Limits of one request: more would lock the organization's tree for longer than a second. */
const FOLDERS_PER_DELETION_MAX = 10_000

const ASSETS_PER_DELETION_MAX = 1000

/** Largest subtree whose depth is measured before a move. */
export const FOLDERS_PER_MOVE_MAX = 100_000

declare const located: unique symbol

/**
 * A folder that was looked up inside its organization. Functions take this branded type instead of a uuid, so that a
 * folder of another organization cannot be used by mistake.
 */
export type Folder = {
  readonly uuid: FolderUuid
  readonly title: string
  readonly parentUuid: FolderUuid | null
  readonly externalId: string | null
  readonly metadata: Metadata
  readonly legalHold: boolean
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  /** When a folder in the trash is purged; null otherwise. */
  readonly purgeAt: Timestamp | null
  readonly [located]: true
}

export type FolderName = { readonly uuid: FolderUuid; readonly title: string }

const uuidForm = /^[1-9A-HJ-NP-Za-km-z]{11}$/

export function isFolderUuid(text: string): text is FolderUuid {
  return uuidForm.test(text)
}

export const folderNotFound = () => refused('folder_not_found', 'The folder does not exist in this organization.')

/** The folder that has an external id. */
export type ExternalIdOwner = { readonly uuid: FolderUuid; readonly isInTrash: boolean }

/** `other` is undefined if the other folder no longer exists. */
export const externalIdTaken = (externalId: string, other: ExternalIdOwner | undefined) =>
  refused(
    'external_id_taken',
    `${other ? `The folder ${other.uuid}${other.isInTrash ? ' in the trash' : ''}` : 'Another folder'} has the external_id ${JSON.stringify(externalId)}. Choose a different one, or remove it there.`,
    'external_id',
  )

export const parentNotFound = (uuid: string) =>
  refused(
    'parent_not_found',
    uuid === 'root' || uuid === 'null'
      ? '`parent` is not a folder uuid. For the root, send null as `parent`, or omit it where that is allowed.'
      : `Folder ${uuid} does not exist in this organization.`,
    'parent',
  )

/** `parentDepth` is the number of folders from the root down to the parent; 0 is the root itself. */
export function assertDepth(parentDepth: number, height: number): void {
  const deepest = parentDepth + height
  if (deepest <= DEPTH_MAX) return
  throw refused(
    'folder_too_deep',
    `Folders can be nested at most ${DEPTH_MAX} levels deep (this would be ${deepest}). Choose a parent nearer to the root.`,
    'parent',
  )
}

/** `parentPath` goes from the root down to the new parent, inclusive. */
export function assertNotInside(folder: Folder, parentPath: readonly FolderName[]): void {
  if (!parentPath.some(({ uuid }) => uuid === folder.uuid)) return
  throw refused('folder_into_itself', `${folder.title} cannot be moved into itself or one of its subfolders.`, 'parent')
}

export function assertMovable(foldersSeen: number): void {
  if (foldersSeen <= FOLDERS_PER_MOVE_MAX) return
  throw refused(
    'folder_too_large',
    `The folder contains more than ${FOLDERS_PER_MOVE_MAX} folders. Move its subfolders one by one.`,
  )
}

/** How much a deletion removes. `folders` includes the folder itself. */
export type DeletionScope = { readonly folders: number; readonly assets: number }

export type DeletionOptions = {
  readonly isRecursive: boolean
  /** Whether the caller may delete and restore assets as well as folders. */
  readonly mayChangeAssets: boolean
  /** Purges everything at once instead of moving it to the trash. */
  readonly isPermanent: boolean
}

/** How far to count to decide whether a deletion is allowed. */
export const countLimit = ({ isRecursive }: Pick<DeletionOptions, 'isRecursive'>): DeletionScope =>
  isRecursive
    ? { folders: FOLDERS_PER_DELETION_MAX + 1, assets: ASSETS_PER_DELETION_MAX + 1 }
    : { folders: 2, assets: 1 }

export const isDeletable = ({ folders, assets }: DeletionScope) =>
  folders <= FOLDERS_PER_DELETION_MAX && assets <= ASSETS_PER_DELETION_MAX

export function assertDeletable(scope: DeletionScope, options: DeletionOptions): void {
  if (!options.isRecursive) assertEmpty(scope)
  if (!options.mayChangeAssets) assertMayChangeAssets(scope.assets)
  if (isDeletable(scope)) return
  throw refused(
    'folder_too_large',
    `One request can delete at most ${FOLDERS_PER_DELETION_MAX} folders and ${ASSETS_PER_DELETION_MAX} assets; this folder contains more. Delete its subfolders one by one, or delete or move some of its assets first.`,
  )
}

/** Throws if a token without the scope for assets would change some. */
export function assertMayChangeAssets(assets: number): void {
  if (assets === 0) return
  throw refused(
    'insufficient_scope',
    'The folder contains assets, and this token lacks the scope assets:write. Use a token that has it.',
  )
}

function assertEmpty({ folders, assets }: DeletionScope): void {
  if (folders <= 1 && assets === 0) return
  const contents = [folders > 1 && 'folders', assets > 0 && 'assets'].filter(Boolean)
  throw refused(
    'folder_not_empty',
    `The folder contains ${contents.join(' and ')}. Empty it first, or check its deletion preview and repeat with recursive=true.`,
  )
}
