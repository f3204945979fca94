import { sql } from 'kysely'
import type { FolderUuid } from '../../kernel/ids.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { build, creating, dedicatedConnection, type Given, type Query, statement } from '../../platform/db/statement.ts'
import { type NewEvent, recordingIf } from '../events/events.ts'
import type { FolderSummary } from './folders.events.ts'
import { DEPTH_MAX, type ExternalIdOwner, type Folder, type FolderName } from './folders.rules.ts'

const columns = [
  'uuid',
  'title',
  'parent_uuid as parentUuid',
  'external_id as externalId',
  'metadata',
  'legal_hold as legalHold',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'purge_at as purgeAt',
] as const

/** The columns of `FolderSummary`. */
export const summaryColumns = sql`
  uuid, title, parent_uuid as "parentUuid", external_id as "externalId", metadata, purge_at as "purgeAt"`

/** Lock on the organization's folder tree: shared for inserts, exclusive for moves and deletions. */
const treeLock = (mode: 'shared' | 'exclusive') => {
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  return dedicatedConnection(
    statement(
      ({ organizationId }: Given<object>) =>
        sql`select from (select ${lock}(${lockNumber('folderTree', organizationId)})) as locked`,
    ),
  )
}
const lockTreeShared = treeLock('shared')
const lockTreeExclusive = treeLock('exclusive')

const byUuid = statement(({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) =>
  build.selectFrom('folders').select(columns).where('organization_id', '=', organizationId).where('uuid', '=', uuid),
)

/** Waits for a concurrent deletion of the folder. */
const byUuidForKeyShare = dedicatedConnection(
  statement(({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) =>
    build
      .selectFrom('folders')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where('uuid', '=', uuid)
      .forKeyShare(),
  ),
)

/** The path from the root down to the folder. */
const pathOf = statement(
  ({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) => sql<FolderName>`
    with recursive path as (
      select uuid, title, parent_uuid, 1 as step
      from folders where organization_id = ${organizationId} and uuid = ${uuid}
      union all
      select parent.uuid, parent.title, parent.parent_uuid, path.step + 1
      from path join folders as parent
        on parent.organization_id = ${organizationId} and parent.uuid = path.parent_uuid
      where path.step <= ${sql.lit(DEPTH_MAX)}
    )
    select uuid, title from path order by step desc`,
)

const countChildren = dedicatedConnection(
  statement(({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) =>
    build
      .selectFrom('folders')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('parent_uuid', '=', uuid),
  ),
)

export type NewFolder = {
  readonly uuid: FolderUuid
  readonly parentUuid: FolderUuid | null
  readonly title: string
  readonly searchTitle: string
  readonly grams: readonly number[]
  readonly externalId: string | null
  /** Metadata as JSON. */
  readonly metadata: string
}

/** Returns no row if another folder has the external id. */
const insert = creating(
  'folder',
  'uuid',
  statement(
    (folder: Given<NewFolder>) => sql<{ uuid: FolderUuid }>`
    insert into folders (organization_id, uuid, parent_uuid, title, search_title, grams, external_id, metadata)
    values (${folder.organizationId}, ${folder.uuid}, ${folder.parentUuid}, ${folder.title}, ${folder.searchTitle},
      ${folder.grams}::integer[], ${folder.externalId}, ${folder.metadata}::jsonb)
    on conflict (organization_id, external_id) where external_id is not null do nothing
    returning uuid`,
  ),
)

/** Updates one of several counter shards (`slot`), so that concurrent connections rarely update the same row. */
export const addToCounts = statement(
  ({ organizationId, inAll, atRoot }: Given<{ inAll: number; atRoot: number }>) => sql`
    insert into folder_counts as counts (organization_id, slot, folder_count, root_count)
    values (${organizationId}, pg_backend_pid() % 16, ${inAll}, ${atRoot})
    on conflict (organization_id, slot)
    do update set
      folder_count = counts.folder_count + excluded.folder_count,
      root_count = counts.root_count + excluded.root_count`,
)

const insertAtRootUnlessBusy = creating(
  'folder',
  'uuid',
  statement(
    ({ organizationId, uuid, title, searchTitle, grams, metadata }: Given<NewFolder>) => sql<{ slot: number }>`
    with created as (
      insert into folders (organization_id, uuid, title, search_title, grams, metadata)
      select ${organizationId}, ${uuid}, ${title}, ${searchTitle}, ${grams}::integer[], ${metadata}::jsonb
      where pg_try_advisory_xact_lock_shared(${lockNumber('folderTree', organizationId)})
      returning organization_id
    )
    insert into folder_counts as counts (organization_id, slot, folder_count, root_count)
    select organization_id, pg_backend_pid() % 16, 1, 1 from created
    on conflict (organization_id, slot)
    do update set
      folder_count = counts.folder_count + excluded.folder_count,
      root_count = counts.root_count + excluded.root_count
    returning slot`,
  ),
)

const recordingIfInserted = recordingIf(
  ({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) =>
    sql`exists (select from folders where organization_id = ${organizationId} and uuid = ${uuid})`,
)

/** Columns that an update of a folder can change, and those derived from them. */
export type EditableColumns = Omit<NewFolder, 'uuid' | 'parentUuid'> & Pick<Folder, 'legalHold'>

/** Name of the unique index that an update may violate. */
export const EXTERNAL_ID_INDEX = 'folders_by_external_id'

/** Reads and locks a folder against changes, but not against new folders and assets in it. */
const byUuidForUpdate = dedicatedConnection(
  statement(({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) =>
    build
      .selectFrom('folders')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where('uuid', '=', uuid)
      .forNoKeyUpdate(),
  ),
)

const setEditable = statement(
  (given: Given<EditableColumns & { uuid: FolderUuid }>) => sql`
    update folders set title = ${given.title}, search_title = ${given.searchTitle}, grams = ${given.grams}::integer[],
      external_id = ${given.externalId}, metadata = ${given.metadata}::jsonb, legal_hold = ${given.legalHold},
      updated_at = now()
    where organization_id = ${given.organizationId} and uuid = ${given.uuid}`,
)

const uuidByExternalId = statement(
  ({ organizationId, externalId }: Given<{ externalId: string }>) => sql<ExternalIdOwner>`
    select uuid, deleted_at is not null as "isInTrash" from folders where organization_id = ${organizationId} and external_id = ${externalId}`,
)

const setParent = statement(
  (given: Given<{ uuid: FolderUuid; parentUuid: FolderUuid | null }>) => sql<FolderSummary>`
    update folders set parent_uuid = ${given.parentUuid}, updated_at = now()
    where organization_id = ${given.organizationId} and uuid = ${given.uuid}
    returning ${summaryColumns}`,
)

export type Subtree = { readonly uuid: FolderUuid; readonly atMost: number }

/** A folder and its subfolders: at most `atMost` folders, including the folder itself. */
export const subtree = ({ organizationId, uuid, atMost }: Given<Subtree>) => sql`
  with recursive descendants as (
    select uuid, 1 as level
    from folders where organization_id = ${organizationId} and uuid = ${uuid}
    union all
    select child.uuid, descendants.level + 1
    from descendants join folders as child
      on child.organization_id = ${organizationId} and child.parent_uuid = descendants.uuid
  ),
  visited as materialized (select uuid, level from descendants limit ${atMost})`

const measureSubtree = dedicatedConnection(
  statement(
    (given: Given<Subtree>) => sql<{ count: number; height: number }>`
      ${subtree(given)}
      select count(*) as count, coalesce(max(level), 0) as height from visited`,
  ),
)

/**
 * Returns false, and inserts nothing, while the tree lock is held exclusively. A single statement that never waits,
 * so it may share a connection. The root needs no depth check.
 */
export async function insertFolderAtRoot(db: OrganizationDb, folder: NewFolder, event: NewEvent): Promise<boolean> {
  const [counted] = await db.run(insertAtRootUnlessBusy(folder), recordingIfInserted(folder, event))
  return counted.length > 0
}

/** The path from the root to the folder, empty if it does not exist. It cannot change until the transaction ends. */
export async function lockTreeSharedAndSelectPath(tx: OrganizationDb, uuid: FolderUuid): Promise<FolderName[]> {
  const [, path] = await tx.run(lockTreeShared({}), pathOf({ uuid }))
  return path
}

/** Returns false, and inserts nothing, if another folder has the external id. */
export async function insertFolder(tx: OrganizationDb, folder: NewFolder): Promise<boolean> {
  const [inserted] = await tx.run(insert(folder))
  if (inserted.length > 0) await tx.run(addToCounts({ inAll: 1, atRoot: Number(folder.parentUuid === null) }))
  return inserted.length > 0
}

export async function lockTreeSharedAndInsert(tx: OrganizationDb, folder: NewFolder): Promise<boolean> {
  await tx.run(lockTreeShared({}))
  return insertFolder(tx, folder)
}

/** Finds folders in the trash as well: they keep their external ids. */
export function findByExternalId(db: OrganizationDb, externalId: string): Promise<ExternalIdOwner | undefined> {
  return db.withTrash(async (all) => {
    const [[found]] = await all.run(uuidByExternalId({ externalId }))
    return found
  })
}

export async function findFolder(db: OrganizationDb, uuid: FolderUuid): Promise<Folder | undefined> {
  const [[folder]] = await db.run(byUuid({ uuid }))
  return folder as Folder | undefined
}

export async function findFolderForKeyShare(tx: OrganizationDb, uuid: FolderUuid): Promise<Folder | undefined> {
  const [[folder]] = await tx.run(byUuidForKeyShare({ uuid }))
  return folder as Folder | undefined
}

/** Blocks moves and deletions of folders until the transaction ends. */
export async function shareLockTree(tx: OrganizationDb): Promise<void> {
  await tx.run(lockTreeShared({}))
}

/** The path goes from the root down to the folder itself. */
export async function findFolderWithPath(db: OrganizationDb, uuid: FolderUuid, countAssets: Query<{ count: number }>) {
  const [[folder], path, [children], [assets]] = await db.run(
    byUuid({ uuid }),
    pathOf({ uuid }),
    countChildren({ uuid }),
    countAssets,
  )
  return {
    folder: folder as Folder | undefined,
    path,
    folderCount: children?.count ?? 0,
    assetCount: assets?.count ?? 0,
  }
}

/** Locks the folder against changes until the transaction ends. */
export async function lockFolder(tx: OrganizationDb, uuid: FolderUuid): Promise<Folder | undefined> {
  const [[folder]] = await tx.run(byUuidForUpdate({ uuid }))
  return folder as Folder | undefined
}

export async function updateEditable(tx: OrganizationDb, uuid: FolderUuid, folder: EditableColumns): Promise<void> {
  await tx.run(setEditable({ uuid, ...folder }))
}

/** Blocks all changes of the tree until the transaction ends. */
export async function lockTree(tx: OrganizationDb): Promise<void> {
  await tx.run(lockTreeExclusive({}))
}

/** Locks the tree exclusively until the transaction ends, then reads the folder. */
export async function lockTreeAndFindFolder(tx: OrganizationDb, uuid: FolderUuid): Promise<Folder | undefined> {
  const [, [folder]] = await tx.run(lockTreeExclusive({}), byUuid({ uuid }))
  return folder as Folder | undefined
}

export async function selectPath(tx: OrganizationDb, uuid: FolderUuid): Promise<FolderName[]> {
  const [path] = await tx.run(pathOf({ uuid }))
  return path
}

/** Number of folders from the root down to the folder. `path` is the part of its path inside the limits. */
export async function depthOf(tx: OrganizationDb, uuid: FolderUuid, path: readonly FolderName[]): Promise<number> {
  if (!tx.limits) return path.length
  return (await tx.withLimits(undefined, (all) => selectPath(all, uuid))).length
}

/** Counts folders (including the root of the subtree) and levels, up to `atMost` folders. */
export async function measure(db: OrganizationDb, folder: Folder, atMost: number) {
  const [[size]] = await db.run(measureSubtree({ uuid: folder.uuid, atMost }))
  return size ?? { count: 0, height: 0 }
}

export async function updateParent(
  tx: OrganizationDb,
  folder: Folder,
  parentUuid: FolderUuid | null,
): Promise<FolderSummary> {
  const atRoot = Number(parentUuid === null) - Number(folder.parentUuid === null)
  const [[moved]] = await tx.run(setParent({ uuid: folder.uuid, parentUuid }), addToCounts({ inAll: 0, atRoot }))
  if (!moved) throw new Error('The folder was deleted while the tree was locked')
  return moved
}
