import { type FolderUuid, newFolderUuid } from '../../kernel/ids.ts'
import { isSameMetadata, type Metadata, type MetadataChange, mergeMetadata } from '../../kernel/metadata.ts'
import { type Needle, needleOf, titleForSearch } from '../../kernel/search-text.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { isUniqueViolation } from '../../platform/db/errors/unique-violation.ts'
import { assertNotLimitFolder, assertNotRoot } from '../../platform/db/limits.ts'
import { type PageRequest, type RowPage, type SortKey, toRowPage } from '../../platform/db/paging/keyset.ts'
import { recordEvents } from '../events/events.ts'
import type { AssetsInFolders } from './assets-in-folders.ts'
import { purgeFoldersDue, restoreFolder } from './deletion/folder-deletion.ts'
import * as lists from './folder-list.store.ts'
import * as search from './folder-search.store.ts'
import { type TreeNode, toTree } from './folder-tree.rules.ts'
import { selectTree } from './folder-tree.store.ts'
import { folderCreated, folderUpdated } from './folders.events.ts'
import {
  assertDepth,
  assertMovable,
  assertNotInside,
  externalIdTaken,
  FOLDERS_PER_MOVE_MAX,
  type Folder,
  type FolderName,
  folderNotFound,
  isFolderUuid,
  parentNotFound,
} from './folders.rules.ts'
import * as store from './folders.store.ts'

export type { AssetsInFolders, Folder, FolderName, TreeNode }
export const { shareLockTree } = store
export { isFolderUuid, purgeFoldersDue, restoreFolder }

/** A folder with its path and the number of its direct children. */
export type FolderDetails = {
  readonly folder: Folder
  /** Folders from the root, or from the folder that the principal is limited to, down to the parent. */
  readonly path: readonly FolderName[]
  readonly folderCount: number
  readonly assetCount: number
}

/** Which folders to list: all, those at the root, or those in one folder. */
export type ListLocation = 'anywhere' | 'root' | { readonly parent: string }

/** Lists are ordered by title and uuid. */
export const isFolderSortKey = (key: SortKey) => key.length === 2

type FolderInput = {
  readonly title: string
  readonly parent: string | null
  readonly externalId: string | null
  readonly metadata: Metadata
}

export async function createFolder(db: OrganizationDb, input: FolderInput): Promise<FolderName> {
  const { externalId, metadata } = input
  const parentUuid = input.parent === null ? null : asParent(input.parent)
  assertNotRoot(db, parentUuid, 'parent')
  const title = titleForSearch(db.organizationId, cleanTitle(input.title, 'title'))
  const folder = { uuid: newFolderUuid(), parentUuid, ...title, externalId, metadata: JSON.stringify(metadata) }
  const event = folderCreated({ ...folder, metadata, purgeAt: null })
  if (parentUuid === null && externalId === null && (await store.insertFolderAtRoot(db, folder, event))) return folder
  return db.transaction(async (tx) => {
    const isInserted = await insertBelow(tx, folder)
    if (!isInserted) throw externalIdTaken(String(externalId), await store.findByExternalId(tx, String(externalId)))
    await recordEvents(tx, event)
    return folder
  })
}

async function insertBelow(tx: OrganizationDb, folder: store.NewFolder): Promise<boolean> {
  if (folder.parentUuid === null) return store.lockTreeSharedAndInsert(tx, folder)
  const path = await store.lockTreeSharedAndSelectPath(tx, folder.parentUuid)
  if (path.length === 0) throw parentNotFound(folder.parentUuid)
  assertDepth(await store.depthOf(tx, folder.parentUuid, path), 1)
  return store.insertFolder(tx, folder)
}

export async function listFolders(
  db: OrganizationDb,
  location: ListLocation,
  request: PageRequest,
): Promise<RowPage<FolderName> & { count: number }> {
  const { rows, count } = await selectFrom(db, location, request)
  return { ...toRowPage(rows, request, sortKeyOf), count }
}

/** Folders whose title contains the text, ignoring case and accents. */
export async function searchFolders(
  db: OrganizationDb,
  input: { readonly text: string; readonly location: ListLocation },
  request: PageRequest,
): Promise<RowPage<FolderName> & { count: number }> {
  const needle = needleOf(db.organizationId, input.text)
  const { rows, count } = needle
    ? await searchIn(db, input.location, needle, request)
    : await selectFrom(db, input.location, request)
  return { ...toRowPage(rows, request, sortKeyOf), count }
}

export async function findFolder(db: OrganizationDb, text: string): Promise<Folder | undefined> {
  return isFolderUuid(text) ? store.findFolder(db, text) : undefined
}

/** Finds the folder and blocks its deletion until the transaction ends. */
export async function shareLockFolder(tx: OrganizationDb, text: string): Promise<Folder | undefined> {
  return isFolderUuid(text) ? store.findFolderForKeyShare(tx, text) : undefined
}

/** A folder of another organization gives the same error as one that does not exist. */
export async function requireFolder(db: OrganizationDb, uuid: FolderUuid): Promise<Folder> {
  const folder = await store.findFolder(db, uuid)
  if (!folder) throw folderNotFound()
  return folder
}

export async function readFolder(
  assets: AssetsInFolders,
  db: OrganizationDb,
  uuid: FolderUuid,
): Promise<FolderDetails> {
  const inside = assets.countIn({ folderUuid: uuid })
  const { folder, path, ...counts } = await store.findFolderWithPath(db, uuid, inside)
  if (!folder) throw folderNotFound()
  return { folder, path: path.slice(0, -1), ...counts }
}

/** The requested change; undefined for fields to keep. */
type FolderUpdate = {
  readonly title?: string | undefined
  readonly externalId?: string | null | undefined
  readonly metadata?: MetadataChange | undefined
  readonly legalHold?: boolean | undefined
}

export async function updateFolder(
  assets: AssetsInFolders,
  db: OrganizationDb,
  uuid: FolderUuid,
  update: FolderUpdate,
): Promise<FolderDetails> {
  assertNotLimitFolder(db, uuid)
  try {
    return await db.transaction(async (tx) => {
      await applyUpdate(tx, uuid, update)
      return readFolder(assets, tx, uuid)
    })
  } catch (error) {
    if (!isUniqueViolation(error, store.EXTERNAL_ID_INDEX)) throw error
    const externalId = String(update.externalId)
    throw externalIdTaken(externalId, await store.findByExternalId(db, externalId))
  }
}

async function applyUpdate(tx: OrganizationDb, uuid: FolderUuid, update: FolderUpdate): Promise<void> {
  // A legal hold concerns everything below the folder, so nothing may be deleted while it is set.
  if (update.legalHold !== undefined) await store.lockTreeAndFindFolder(tx, uuid)
  const before = await store.lockFolder(tx, uuid)
  if (!before) throw folderNotFound()
  const after = {
    ...before,
    title: update.title === undefined ? before.title : cleanTitle(update.title, 'title'),
    externalId: update.externalId === undefined ? before.externalId : update.externalId,
    metadata: mergeMetadata(before.metadata, update.metadata ?? {}),
    legalHold: update.legalHold ?? before.legalHold,
  }
  if (isSame(before, after)) return
  const title = titleForSearch(tx.organizationId, after.title)
  await store.updateEditable(tx, uuid, { ...after, ...title, metadata: JSON.stringify(after.metadata) })
  await recordEvents(tx, folderUpdated(after))
}

const isSame = (a: Folder, b: Folder) =>
  a.title === b.title &&
  a.externalId === b.externalId &&
  a.legalHold === b.legalHold &&
  isSameMetadata(a.metadata, b.metadata)

export async function moveFolder(
  assets: AssetsInFolders,
  db: OrganizationDb,
  uuid: FolderUuid,
  parent: string | null,
): Promise<FolderDetails> {
  const parentUuid = parent === null ? null : asParent(parent)
  return db.transaction(async (tx) => {
    const folder = await store.lockTreeAndFindFolder(tx, uuid)
    if (!folder) throw folderNotFound()
    assertNotLimitFolder(tx, uuid)
    assertNotRoot(tx, parentUuid, 'parent')
    await assertFits(tx, folder, parentUuid)
    const moved = await store.updateParent(tx, folder, parentUuid)
    if (folder.parentUuid !== parentUuid) await recordEvents(tx, folderUpdated(moved))
    return readFolder(assets, tx, uuid)
  })
}

/** Measures the subtree only if the folder moves deeper. */
async function assertFits(tx: OrganizationDb, folder: Folder, parentUuid: FolderUuid | null) {
  if (parentUuid === null) return
  const [parentPath, ownPath] = [await store.selectPath(tx, parentUuid), await store.selectPath(tx, folder.uuid)]
  if (parentPath.length === 0) throw parentNotFound(parentUuid)
  assertNotInside(folder, parentPath)
  if (parentPath.length < ownPath.length) return
  const { count, height } = await store.measure(tx, folder, FOLDERS_PER_MOVE_MAX + 1)
  assertMovable(count)
  assertDepth(await store.depthOf(tx, parentUuid, parentPath), height)
}

export async function readTree(db: OrganizationDb, parent: string | undefined, depthMax: number): Promise<TreeNode[]> {
  const isAtRoot = parent === undefined || parent === 'root'
  const parentUuid = isAtRoot ? null : await requireParent(db, parent)
  return toTree(await selectTree(db, parentUuid, depthMax))
}

async function selectFrom(db: OrganizationDb, location: ListLocation, request: PageRequest) {
  if (location === 'anywhere') return lists.selectAllFolders(db, request)
  if (location === 'root') return lists.selectFoldersAtRoot(db, request)
  return lists.selectFoldersIn(db, await requireParent(db, location.parent), request)
}

async function searchIn(db: OrganizationDb, location: ListLocation, needle: Needle, request: PageRequest) {
  if (location === 'anywhere') return search.searchAnywhere(db, needle, request)
  const limitUuid = db.limits?.folderUuid
  if (location === 'root' && limitUuid) return search.searchAtLimit(db, { ...needle, limitUuid }, request)
  if (location === 'root') return search.searchAtRoot(db, needle, request)
  const parentUuid = await requireParent(db, location.parent)
  return search.searchInParent(db, { ...needle, parentUuid }, request)
}

async function requireParent(db: OrganizationDb, parent: string): Promise<FolderUuid> {
  const folder = await findFolder(db, parent)
  if (!folder) throw parentNotFound(parent)
  return folder.uuid
}

function asParent(text: string): FolderUuid {
  if (!isFolderUuid(text)) throw parentNotFound(text)
  return text
}

const sortKeyOf = ({ title, uuid }: FolderName) => [title, uuid]
