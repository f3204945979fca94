import type { FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { Query } from '../../platform/db/statement.ts'

/**
 * The operations on assets that folders need. Assets depend on folders and not the other way round, so `main` passes
 * the implementation in.
 */
export type AssetsInFolders = {
  /** Number of assets directly in the folder. */
  readonly countIn: (location: { readonly folderUuid: FolderUuid }) => Query<{ count: number }>
  /** Number of assets in the folder and its subfolders. Visits at most `foldersMax` folders and stops at `atMost`. */
  readonly countInSubtree: (location: {
    readonly folderUuid: FolderUuid
    readonly foldersMax: number
    readonly atMost: number
  }) => Query<{ count: number }>
  /**
   * These functions change the assets of folders. The caller has locked the folders, so that no asset is added to them,
   * and sees the trash.
   */
  readonly moveToTrash: (tx: OrganizationDb, folderUuids: readonly FolderUuid[], trash: FolderTrash) => Promise<void>
  /** Restores the assets that were deleted with the folder. */
  readonly restoreDeletedWith: (tx: OrganizationDb, folderUuid: FolderUuid) => Promise<void>
  /** Purges the assets in the folders. Assets that were deleted before stay in the trash, at the root. */
  readonly purgeIn: (tx: OrganizationDb, folderUuids: readonly FolderUuid[]) => Promise<void>
  /** Like `purgeIn`, for the folders that were deleted with a folder. */
  readonly purgeDeletedWith: (
    tx: OrganizationDb,
    folderUuid: FolderUuid,
    folderUuids: readonly FolderUuid[],
  ) => Promise<void>
}

/** How long a folder stays in the trash with its contents. */
export type FolderTrash = { readonly trashDays: number; readonly deletedWith: FolderUuid }
