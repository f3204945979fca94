import { refused } from '../../kernel/errors.ts'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

/** Deeper than any filing people keep in their heads; it bounds every walk up the tree. */
export const DEPTH_MAX = 32

/** What one request may delete: more would hold the organization's tree for longer than a second. */
export const FOLDERS_PER_DELETION_MAX = 10_000

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

export function assertDeletable(foldersSeen: number, isRecursive: boolean): void {
  if (foldersSeen > 1 && !isRecursive) {
    throw refused(
      'folder_not_empty',
      'The folder holds other folders. Empty it first, or look at its deletion preview and repeat with recursive=true.',
    )
  }
  if (foldersSeen <= FOLDERS_PER_DELETION_MAX) return
  throw refused(
    'folder_too_large',
    `More than ${FOLDERS_PER_DELETION_MAX} folders would go. Delete its subfolders one by one.`,
  )
}

/** How far a search reads the list for a page of common matches before it sorts all of them instead. */
export const ROWS_PROBED_MAX = 250_000

/** Matches are common when, lying evenly, they would fill a page within this many rows of the list. */
const ROWS_EXPECTED_MAX = 5000

/** Whether to look for a page of matches in the list itself. `matches` of `total` folders match. */
export function areCommon(matches: number, total: number, pageSize: number): boolean {
  return matches > 0 && (pageSize * total) / matches <= ROWS_EXPECTED_MAX
}
