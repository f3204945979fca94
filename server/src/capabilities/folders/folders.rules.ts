import { refused } from '../../kernel/errors.ts'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** Deeper than any filing people keep in their heads; it bounds every walk up the tree. */
export const DEPTH_MAX = 32

/** What one request may delete: more would hold the organization's tree for longer than a second. */
const FOLDERS_PER_DELETION_MAX = 10_000

const ASSETS_PER_DELETION_MAX = 1000

/** How many folders beneath a moved one are looked at to see that none ends up too deep. */
export const FOLDERS_PER_MOVE_MAX = 100_000

declare const located: unique symbol

/**
 * A folder that was looked up inside its organization. What wants a folder of the caller's asks for this
 * value instead of a bare identifier, so one of a foreign organization cannot be reached by mistake.
 */
export type Folder = {
  readonly uuid: FolderUuid
  readonly title: string
  readonly parentUuid: FolderUuid | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly [located]: true
}

export type FolderName = { readonly uuid: FolderUuid; readonly title: string }

const uuidForm = /^[1-9A-HJ-NP-Za-km-z]{11}$/

export function isFolderUuid(text: string): text is FolderUuid {
  return uuidForm.test(text)
}

export const folderNotFound = () =>
  refused('folder_not_found', 'No such folder in this organization.')

export const parentNotFound = (uuid: string) =>
  refused(
    'parent_not_found',
    uuid === 'root' || uuid === 'null'
      ? 'For the root, send null as parent, or leave it out where that is allowed.'
      : `There is no folder ${uuid} in this organization.`,
    'parent',
  )

/** `parentDepth` counts the folders from the root to the parent, both included; 0 is the root itself. */
export function assertDepth(parentDepth: number, height: number): void {
  const deepest = parentDepth + height
  if (deepest <= DEPTH_MAX) return
  throw refused(
    'folder_too_deep',
    `Folders nest at most ${DEPTH_MAX} deep; this would make ${deepest}. Choose a parent nearer to the root.`,
    'parent',
  )
}

/** `parentPath` leads from the root down to the new parent, which is its last member. */
export function assertNotInside(folder: Folder, parentPath: readonly FolderName[]): void {
  if (!parentPath.some(({ uuid }) => uuid === folder.uuid)) return
  throw refused(
    'folder_into_itself',
    `${folder.title} cannot be moved into itself or into a folder that lies in it.`,
    'parent',
  )
}

export function assertMovable(foldersSeen: number): void {
  if (foldersSeen <= FOLDERS_PER_MOVE_MAX) return
  throw refused(
    'folder_too_large',
    `More than ${FOLDERS_PER_MOVE_MAX} folders lie in it. Move its subfolders one by one.`,
  )
}

/** What would go with a folder: folders, itself included, and assets. */
export type Doomed = { readonly folders: number; readonly assets: number }

export type DeletionWish = {
  readonly isRecursive: boolean
  /** Whether the caller may delete assets as well as folders. */
  readonly mayDeleteAssets: boolean
}

/** As far as a deletion has to count to know whether it may happen. */
export const countedFor = ({ isRecursive }: DeletionWish): Doomed =>
  isRecursive
    ? { folders: FOLDERS_PER_DELETION_MAX + 1, assets: ASSETS_PER_DELETION_MAX + 1 }
    : { folders: 2, assets: 1 }

export const isDeletable = ({ folders, assets }: Doomed) =>
  folders <= FOLDERS_PER_DELETION_MAX && assets <= ASSETS_PER_DELETION_MAX

export function assertDeletable(doomed: Doomed, wish: DeletionWish): void {
  if (!wish.isRecursive) assertEmpty(doomed)
  if (doomed.assets > 0 && !wish.mayDeleteAssets) {
    throw refused(
      'insufficient_scope',
      'Assets would go with this folder, and this token lacks the scope assets:write. Use or create one that has it.',
    )
  }
  if (isDeletable(doomed)) return
  throw refused(
    'folder_too_large',
    `One request deletes at most ${FOLDERS_PER_DELETION_MAX} folders and ${ASSETS_PER_DELETION_MAX} assets; more lie in this one. Delete its subfolders one by one, or delete or move some of its assets first.`,
  )
}

function assertEmpty({ folders, assets }: Doomed): void {
  if (folders <= 1 && assets === 0) return
  const contents = [folders > 1 && 'folders', assets > 0 && 'assets'].filter(Boolean)
  throw refused(
    'folder_not_empty',
    `The folder holds ${contents.join(' and ')}. Empty it first, or look at its deletion preview and repeat with recursive=true.`,
  )
}
