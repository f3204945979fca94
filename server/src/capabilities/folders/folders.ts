import { type FolderUuid, newFolderUuid } from '../../kernel/ids.ts'
import { type Needle, needleOf, titleForSearch } from '../../kernel/search-text.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import {
  type PageRequest,
  type RowPage,
  type SortKey,
  toRowPage,
} from '../../platform/db/keyset.ts'
import type { Query } from '../../platform/db/statement.ts'
import { recordEvents } from '../events/events.ts'
import * as lists from './folder-list.store.ts'
import * as search from './folder-search.store.ts'
import { type TreeNode, toTree } from './folder-tree.rules.ts'
import { selectTree } from './folder-tree.store.ts'
import { folderCreated, folderDeleted, folderUpdated } from './folders.events.ts'
import {
  assertDeletable,
  assertDepth,
  assertMovable,
  assertNotInside,
  countedFor,
  type DeletionWish,
  FOLDERS_PER_MOVE_MAX,
  type Folder,
  type FolderName,
  folderNotFound,
  isDeletable,
  isFolderUuid,
  parentNotFound,
} from './folders.rules.ts'
import * as store from './folders.store.ts'

export type { Folder, FolderName, TreeNode }
export { isFolderUuid }

/** A folder with where it lies and what lies in it. */
export type FolderDetails = {
  readonly folder: Folder
  /** From the root down to its parent. */
  readonly path: readonly FolderName[]
  readonly folderCount: number
  readonly assetCount: number
}

/**
 * What folders need to know of the assets that lie in them, and to have done to them. Assets enter folders and not
 * the other way round, so this is told by whoever composes the two.
 */
export type FiledAssets = {
  /** How many lie directly in it. */
  readonly countIn: (place: { readonly folderUuid: FolderUuid }) => Query<{ count: number }>
  /** How many lie in it and in all beneath it; looks into so many folders and counts so far. */
  readonly countBeneath: (place: {
    readonly folderUuid: FolderUuid
    readonly foldersMax: number
    readonly atMost: number
  }) => Query<{ count: number }>
  /** Nobody puts anything in there meanwhile: the folders are locked. */
  readonly removeBeneath: (tx: OrganizationDb, folder: Folder) => Promise<void>
}

/** Where a list looks: everywhere, at the root, or in one folder. */
export type Place = 'anywhere' | 'root' | { readonly parent: string }

/** Title and uuid, as the list is ordered. */
export const isFolderSortKey = (key: SortKey) => key.length === 2

export async function createFolder(
  db: OrganizationDb,
  wish: { readonly title: string; readonly parent: string | null },
): Promise<FolderName> {
  const title = cleanTitle(wish.title, 'title')
  const folder = { uuid: newFolderUuid(), ...titleForSearch(db.organizationId, title) }
  if (wish.parent === null) {
    const atRoot = { ...folder, parentUuid: null }
    const event = folderCreated(atRoot)
    const isInserted = await store.insertFolderAtRoot(db, atRoot, event)
    if (!isInserted) await store.waitAndInsertFolderAtRoot(db, atRoot, event)
    return folder
  }
  const parentUuid = asParent(wish.parent)
  return db.transaction(async (tx) => {
    const path = await store.shareTreeAndSelectPath(tx, parentUuid)
    if (path.length === 0) throw parentNotFound(parentUuid)
    assertDepth(path.length, 1)
    await store.insertFolder(tx, { ...folder, parentUuid })
    await recordEvents(tx, folderCreated({ ...folder, parentUuid }))
    return folder
  })
}

export async function listFolders(
  db: OrganizationDb,
  place: Place,
  request: PageRequest,
): Promise<RowPage<FolderName> & { count: number }> {
  const { rows, count } = await selectFrom(db, place, request)
  return { ...toRowPage(rows, request, sortKeyOf), count }
}

/** Folders whose title contains the text, whatever its case and accents. */
export async function searchFolders(
  db: OrganizationDb,
  wish: { readonly text: string; readonly place: Place },
  request: PageRequest,
): Promise<RowPage<FolderName> & { count: number }> {
  const needle = needleOf(db.organizationId, wish.text)
  const { rows, count } = needle
    ? await searchIn(db, wish.place, needle, request)
    : await selectFrom(db, wish.place, request)
  return { ...toRowPage(rows, request, sortKeyOf), count }
}

export async function findFolder(db: OrganizationDb, text: string): Promise<Folder | undefined> {
  return isFolderUuid(text) ? store.findFolder(db, text) : undefined
}

/** The folder, which nobody deletes until the transaction ends. */
export async function keepFolder(tx: OrganizationDb, text: string): Promise<Folder | undefined> {
  return isFolderUuid(text) ? store.findAndKeepFolder(tx, text) : undefined
}

/** A folder of another organization is answered exactly like one that does not exist. */
export async function requireFolder(db: OrganizationDb, uuid: FolderUuid): Promise<Folder> {
  const folder = await store.findFolder(db, uuid)
  if (!folder) throw folderNotFound()
  return folder
}

export async function readFolder(
  assets: FiledAssets,
  db: OrganizationDb,
  uuid: FolderUuid,
): Promise<FolderDetails> {
  const inside = assets.countIn({ folderUuid: uuid })
  const { folder, path, ...counts } = await store.findFolderWithPath(db, uuid, inside)
  if (!folder) throw folderNotFound()
  return { folder, path: path.slice(0, -1), ...counts }
}

export async function renameFolder(
  assets: FiledAssets,
  db: OrganizationDb,
  uuid: FolderUuid,
  title: string,
): Promise<FolderDetails> {
  const renamed = { uuid, ...titleForSearch(db.organizationId, cleanTitle(title, 'title')) }
  return db.transaction(async (tx) => {
    const folder = await store.updateTitle(tx, renamed)
    if (!folder) throw folderNotFound()
    if (folder.title !== folder.titleBefore) await recordEvents(tx, folderUpdated(folder))
    return readFolder(assets, tx, uuid)
  })
}

export async function moveFolder(
  assets: FiledAssets,
  db: OrganizationDb,
  uuid: FolderUuid,
  parent: string | null,
): Promise<FolderDetails> {
  const parentUuid = parent === null ? null : asParent(parent)
  return db.transaction(async (tx) => {
    const folder = await store.lockTreeAndFindFolder(tx, uuid)
    if (!folder) throw folderNotFound()
    await assertFits(tx, folder, parentUuid)
    const moved = await store.updateParent(tx, folder, parentUuid)
    if (folder.parentUuid !== parentUuid) await recordEvents(tx, folderUpdated(moved))
    return readFolder(assets, tx, uuid)
  })
}

/** Going up, or sideways, nothing can end up too deep: only a folder that sinks has its subtree measured. */
async function assertFits(tx: OrganizationDb, folder: Folder, parentUuid: FolderUuid | null) {
  if (parentUuid === null) return
  const [parentPath, ownPath] = [
    await store.selectPath(tx, parentUuid),
    await store.selectPath(tx, folder.uuid),
  ]
  if (parentPath.length === 0) throw parentNotFound(parentUuid)
  assertNotInside(folder, parentPath)
  if (parentPath.length < ownPath.length) return
  const { count, height } = await store.measure(tx, folder, FOLDERS_PER_MOVE_MAX + 1)
  assertMovable(count)
  assertDepth(parentPath.length, height)
}

/** What a recursive deletion would take. */
export async function previewDeletion(assets: FiledAssets, db: OrganizationDb, uuid: FolderUuid) {
  const folder = await requireFolder(db, uuid)
  const bounds = { folderUuid: uuid, foldersMax: COUNTED_MAX, atMost: COUNTED_MAX }
  const [{ count: folders }, [[filed]]] = await Promise.all([
    store.measure(db, folder, COUNTED_MAX),
    db.run(assets.countBeneath(bounds)),
  ])
  const found = { folders, assets: filed?.count ?? 0 }
  return { ...found, isAllowed: isDeletable(found) }
}

/** As far as a preview counts: a number beyond it tells a person nothing more. */
const COUNTED_MAX = 100_000

export async function deleteFolder(
  assets: FiledAssets,
  db: OrganizationDb,
  uuid: FolderUuid,
  wish: DeletionWish,
): Promise<void> {
  await db.transaction(async (tx) => {
    const folder = await store.lockTreeAndFindFolder(tx, uuid)
    if (!folder) throw folderNotFound()
    const most = countedFor(wish)
    const folders = await store.lockSubtree(tx, folder, most.folders)
    const bounds = { folderUuid: uuid, foldersMax: most.folders, atMost: most.assets }
    const [[filed]] = await tx.run(assets.countBeneath(bounds))
    assertDeletable({ folders, assets: filed?.count ?? 0 }, wish)
    if (filed?.count) await assets.removeBeneath(tx, folder)
    const removed = await store.removeFolders(tx, folder, folders)
    await recordEvents(tx, ...removed.map(folderDeleted))
  })
}

export async function readTree(
  db: OrganizationDb,
  parent: string | undefined,
  depthMax: number,
): Promise<TreeNode[]> {
  const isAtRoot = parent === undefined || parent === 'root'
  const parentUuid = isAtRoot ? null : await requireParent(db, parent)
  return toTree(await selectTree(db, parentUuid, depthMax))
}

async function selectFrom(db: OrganizationDb, place: Place, request: PageRequest) {
  if (place === 'anywhere') return lists.selectAllFolders(db, request)
  if (place === 'root') return lists.selectFoldersAtRoot(db, request)
  return lists.selectFoldersIn(db, await requireParent(db, place.parent), request)
}

async function searchIn(db: OrganizationDb, place: Place, needle: Needle, request: PageRequest) {
  if (place === 'anywhere') return search.searchAnywhere(db, needle, {}, request)
  if (place === 'root') return search.searchAtRoot(db, needle, {}, request)
  const parentUuid = await requireParent(db, place.parent)
  return search.searchInParent(db, needle, { parentUuid }, request)
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
