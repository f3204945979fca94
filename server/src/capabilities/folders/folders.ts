import { type FolderUuid, newFolderUuid } from '../../kernel/ids.ts'
import { foldForSearch, gramsOf, needleGramsOf } from '../../kernel/search-text.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import {
  type PageRequest,
  type RowPage,
  type SortKey,
  toRowPage,
} from '../../platform/db/keyset.ts'
import * as lists from './folder-list.store.ts'
import * as search from './folder-search.store.ts'
import { type TreeNode, toTree } from './folder-tree.rules.ts'
import { selectTree } from './folder-tree.store.ts'
import {
  areCommon,
  assertDeletable,
  assertDepth,
  assertMovable,
  assertNotInside,
  FOLDERS_PER_DELETION_MAX,
  FOLDERS_PER_MOVE_MAX,
  type Folder,
  type FolderName,
  folderNotFound,
  isFolderUuid,
  parentNotFound,
} from './folders.rules.ts'
import * as store from './folders.store.ts'

export type { Folder, FolderName, TreeNode }

/** A folder with where it lies and what lies in it. */
export type FolderDetails = {
  readonly folder: Folder
  /** From the root down to its parent. */
  readonly path: readonly FolderName[]
  readonly folderCount: number
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
  const folder = { uuid: newFolderUuid(), ...titled(db, title) }
  if (wish.parent === null) {
    const atRoot = { ...folder, parentUuid: null }
    const isInserted = await store.insertFolderAtRoot(db, atRoot)
    if (!isInserted) await store.waitAndInsertFolderAtRoot(db, atRoot)
    return folder
  }
  const parentUuid = asParent(wish.parent)
  return db.transaction(async (tx) => {
    const path = await store.shareTreeAndSelectPath(tx, parentUuid)
    if (path.length === 0) throw parentNotFound(parentUuid)
    assertDepth(path.length, 1)
    await store.insertFolder(tx, { ...folder, parentUuid })
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
  const text = foldForSearch(wish.text)
  if (text === '') return listFolders(db, wish.place, request)
  const needle = {
    text,
    grams: needleGramsOf(db.organizationId, text),
    parentUuid: await parentIn(db, wish.place),
  }
  const { matches, total } = await search.countMatchingFolders(db, needle)
  const isProbed = areCommon(matches, total, request.limit)
  const rows = await selectMatches(db, needle, request, isProbed)
  return { ...toRowPage(rows, request, sortKeyOf), count: matches }
}

/** Common matches are read off the list; if they lie too far on after all, or are few, they are sorted. */
async function selectMatches(
  db: OrganizationDb,
  needle: search.Needle,
  request: PageRequest,
  isProbed: boolean,
): Promise<FolderName[]> {
  if (isProbed) {
    const rows = await search.probeMatchingFolders(db, needle, request)
    if (rows.length > request.limit) return rows
  }
  return search.selectMatchingFolders(db, needle, request)
}

/** A folder of another organization is answered exactly like one that does not exist. */
export async function requireFolder(db: OrganizationDb, uuid: FolderUuid): Promise<Folder> {
  const folder = await store.findFolder(db, uuid)
  if (!folder) throw folderNotFound()
  return folder
}

export async function readFolder(db: OrganizationDb, uuid: FolderUuid): Promise<FolderDetails> {
  const { folder, path, folderCount } = await store.findFolderWithPath(db, uuid)
  if (!folder) throw folderNotFound()
  return { folder, path: path.slice(0, -1), folderCount }
}

export async function renameFolder(
  db: OrganizationDb,
  uuid: FolderUuid,
  title: string,
): Promise<FolderDetails> {
  const renamed = { uuid, ...titled(db, cleanTitle(title, 'title')) }
  if (!(await store.updateTitle(db, renamed))) throw folderNotFound()
  return readFolder(db, uuid)
}

export async function moveFolder(
  db: OrganizationDb,
  uuid: FolderUuid,
  parent: string | null,
): Promise<FolderDetails> {
  const parentUuid = parent === null ? null : asParent(parent)
  return db.transaction(async (tx) => {
    const folder = await store.lockTreeAndFindFolder(tx, uuid)
    if (!folder) throw folderNotFound()
    await assertFits(tx, folder, parentUuid)
    await store.updateParent(tx, folder, parentUuid)
    return readFolder(tx, uuid)
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
export async function previewDeletion(db: OrganizationDb, uuid: FolderUuid) {
  const folder = await requireFolder(db, uuid)
  const { count } = await store.measure(db, folder, FOLDERS_COUNTED_MAX)
  return { folderCount: count, isAllowed: count <= FOLDERS_PER_DELETION_MAX }
}

/** As far as a preview counts: a number beyond it tells a person nothing more. */
const FOLDERS_COUNTED_MAX = 100_000

export async function deleteFolder(
  db: OrganizationDb,
  uuid: FolderUuid,
  isRecursive: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    const folder = await store.lockTreeAndFindFolder(tx, uuid)
    if (!folder) throw folderNotFound()
    const { count } = await store.measure(tx, folder, FOLDERS_PER_DELETION_MAX + 1)
    assertDeletable(count, isRecursive)
    await store.removeFolders(tx, folder, count)
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

/** Undefined anywhere, null at the root. */
async function parentIn(db: OrganizationDb, place: Place): Promise<FolderUuid | null | undefined> {
  if (place === 'anywhere') return undefined
  return place === 'root' ? null : requireParent(db, place.parent)
}

async function requireParent(db: OrganizationDb, parent: string): Promise<FolderUuid> {
  const folder = await store.findFolder(db, asParent(parent))
  if (!folder) throw parentNotFound(parent)
  return folder.uuid
}

function asParent(text: string): FolderUuid {
  if (!isFolderUuid(text)) throw parentNotFound(text)
  return text
}

function titled(db: OrganizationDb, title: string) {
  const searchTitle = foldForSearch(title)
  return { title, searchTitle, grams: gramsOf(db.organizationId, searchTitle) }
}

const sortKeyOf = ({ title, uuid }: FolderName) => [title, uuid]
