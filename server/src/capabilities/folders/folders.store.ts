import { sql } from 'kysely'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { build, type Given, type Query, statement, takesLong } from '../../platform/db/statement.ts'
import { type NewEvent, recording, recordingIf } from '../events/events.ts'
import type { ToldFolder } from './folders.events.ts'
import { DEPTH_MAX, type Folder, type FolderName } from './folders.rules.ts'

const columns = [
  'uuid',
  'title',
  'parent_uuid as parentUuid',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

const toldColumns = ['uuid', 'title', 'parent_uuid as parentUuid'] as const

/** The organization's tree as a whole. Adding to it is shared; changing its shape excludes all others. */
const treeLock = (mode: 'shared' | 'exclusive') => {
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  return takesLong(
    statement(
      ({ organizationId }: Given<object>) =>
        sql`select from (select ${lock}(${lockNumber('folderTree', organizationId)})) as locked`,
    ),
  )
}
const shareTree = treeLock('shared')
const lockTree = treeLock('exclusive')

const byUuid = statement(({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) =>
  build
    .selectFrom('folders')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('uuid', '=', uuid),
)

/** Waits for whoever is deleting it. */
const byUuidKept = takesLong(
  statement(({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) =>
    build
      .selectFrom('folders')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where('uuid', '=', uuid)
      .forKeyShare(),
  ),
)

/** From the folder itself up to the root. */
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

const countChildren = takesLong(
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
}

const insert = statement(
  ({ organizationId, uuid, parentUuid, title, searchTitle, grams }: Given<NewFolder>) =>
    build.insertInto('folders').values({
      organization_id: organizationId,
      uuid,
      parent_uuid: parentUuid,
      title,
      search_title: searchTitle,
      grams: grams as number[],
    }),
)

/** Two connections seldom share a slot, so they seldom wait for each other. */
const addToCounts = statement(
  ({ organizationId, inAll, atRoot }: Given<{ inAll: number; atRoot: number }>) => sql`
    insert into folder_counts as counts (organization_id, slot, folder_count, root_count)
    values (${organizationId}, pg_backend_pid() % 16, ${inAll}, ${atRoot})
    on conflict (organization_id, slot)
    do update set
      folder_count = counts.folder_count + excluded.folder_count,
      root_count = counts.root_count + excluded.root_count`,
)

const insertAtRootUnlessBusy = statement(
  ({ organizationId, uuid, title, searchTitle, grams }: Given<NewFolder>) => sql<{ slot: number }>`
    with created as (
      insert into folders (organization_id, uuid, title, search_title, grams)
      select ${organizationId}, ${uuid}, ${title}, ${searchTitle}, ${grams}::integer[]
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
)

const recordingIfThere = recordingIf(
  ({ organizationId, uuid }: Given<{ uuid: FolderUuid }>) =>
    sql`exists (select from folders where organization_id = ${organizationId} and uuid = ${uuid})`,
)

type Renamed = ToldFolder & { readonly titleBefore: string }

// The lock sees the title as it is when its turn comes.
const rename = statement(
  (given: Given<Omit<NewFolder, 'parentUuid'>>) => sql<Renamed>`
    with before as (
      select title from folders
      where organization_id = ${given.organizationId} and uuid = ${given.uuid}
      for no key update
    )
    update folders as mine set title = ${given.title}, search_title = ${given.searchTitle},
      grams = ${given.grams}::integer[], updated_at = now()
    from before
    where organization_id = ${given.organizationId} and uuid = ${given.uuid}
    returning uuid, mine.title, parent_uuid as "parentUuid", before.title as "titleBefore"`,
)

const setParent = statement(
  ({
    organizationId,
    uuid,
    parentUuid,
  }: Given<{ uuid: FolderUuid; parentUuid: FolderUuid | null }>) =>
    build
      .updateTable('folders')
      .set({ parent_uuid: parentUuid, updated_at: sql<Timestamp>`now()` })
      .where('organization_id', '=', organizationId)
      .where('uuid', '=', uuid)
      .returning(toldColumns),
)

type Subtree = { readonly uuid: FolderUuid; readonly atMost: number }

/** Stops as soon as it has met `atMost` folders, the first one included. */
const subtree = ({ organizationId, uuid, atMost }: Given<Subtree>) => sql`
  with recursive beneath as (
    select uuid, 1 as level
    from folders where organization_id = ${organizationId} and uuid = ${uuid}
    union all
    select child.uuid, beneath.level + 1
    from beneath join folders as child
      on child.organization_id = ${organizationId} and child.parent_uuid = beneath.uuid
  ),
  met as materialized (select uuid, level from beneath limit ${atMost})`

const measureSubtree = takesLong(
  statement(
    (given: Given<Subtree>) => sql<{ count: number; height: number }>`
      ${subtree(given)}
      select count(*) as count, coalesce(max(level), 0) as height from met`,
  ),
)

/**
 * From here on nobody files anything in them: whoever does holds the folder (`for key share`), and this waits for
 * those who do so already.
 */
const lockFolders = statement(
  (given: Given<Subtree>) => sql<{ uuid: FolderUuid }>`
    ${subtree(given)}
    select uuid from folders
    where organization_id = ${given.organizationId} and uuid in (select uuid from met)
    for update`,
)

/** What lies deepest comes first: nobody hears of a folder that lies in one that is gone. */
const removeSubtree = statement(
  (given: Given<Subtree>) => sql<ToldFolder>`
    ${subtree(given)},
    removed as (
      delete from folders using met
      where organization_id = ${given.organizationId} and folders.uuid = met.uuid
      returning folders.uuid, title, parent_uuid as "parentUuid", level
    )
    select uuid, title, "parentUuid" from removed order by level desc, title, uuid`,
)

/**
 * False when somebody is changing the tree's shape: nothing was inserted then. In one statement that waits
 * for nobody, so it may share a connection; the root needs no look at what lies above.
 */
export async function insertFolderAtRoot(
  db: OrganizationDb,
  folder: NewFolder,
  event: NewEvent,
): Promise<boolean> {
  const [counted] = await db.run(insertAtRootUnlessBusy(folder), recordingIfThere(folder, event))
  return counted.length > 0
}

export async function waitAndInsertFolderAtRoot(
  db: OrganizationDb,
  folder: NewFolder,
  event: NewEvent,
): Promise<void> {
  await db.run(
    shareTree({}),
    insert(folder),
    addToCounts({ inAll: 1, atRoot: 1 }),
    recording(event),
  )
}

/** The path from the root down to the folder, empty if there is none; nobody reshapes it meanwhile. */
export async function shareTreeAndSelectPath(
  tx: OrganizationDb,
  uuid: FolderUuid,
): Promise<FolderName[]> {
  const [, path] = await tx.run(shareTree({}), pathOf({ uuid }))
  return path
}

export async function insertFolder(tx: OrganizationDb, folder: NewFolder): Promise<void> {
  await tx.run(insert(folder), addToCounts({ inAll: 1, atRoot: 0 }))
}

export async function findFolder(
  db: OrganizationDb,
  uuid: FolderUuid,
): Promise<Folder | undefined> {
  const [[folder]] = await db.run(byUuid({ uuid }))
  return folder as Folder | undefined
}

export async function findAndKeepFolder(
  tx: OrganizationDb,
  uuid: FolderUuid,
): Promise<Folder | undefined> {
  const [[folder]] = await tx.run(byUuidKept({ uuid }))
  return folder as Folder | undefined
}

/** The path leads from the root down to the folder itself. */
export async function findFolderWithPath(
  db: OrganizationDb,
  uuid: FolderUuid,
  countAssets: Query<{ count: number }>,
) {
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

/** The folder afterwards, with what it was called before; undefined if there is none. */
export async function updateTitle(
  db: OrganizationDb,
  folder: Omit<NewFolder, 'parentUuid'>,
): Promise<Renamed | undefined> {
  const [[renamed]] = await db.run(rename(folder))
  return renamed
}

/** The folder as it is now, while nobody else changes the tree's shape until the transaction ends. */
export async function lockTreeAndFindFolder(
  tx: OrganizationDb,
  uuid: FolderUuid,
): Promise<Folder | undefined> {
  const [, [folder]] = await tx.run(lockTree({}), byUuid({ uuid }))
  return folder as Folder | undefined
}

export async function selectPath(tx: OrganizationDb, uuid: FolderUuid): Promise<FolderName[]> {
  const [path] = await tx.run(pathOf({ uuid }))
  return path
}

/** How many folders the subtree has, itself included, and how many levels; looks at `atMost` of them. */
export async function measure(db: OrganizationDb, folder: Folder, atMost: number) {
  const [[size]] = await db.run(measureSubtree({ uuid: folder.uuid, atMost }))
  return size ?? { count: 0, height: 0 }
}

/** Answers how many folders it has locked: the folder and those beneath it, at most `atMost`. */
export async function lockSubtree(
  tx: OrganizationDb,
  folder: Folder,
  atMost: number,
): Promise<number> {
  const [locked] = await tx.run(lockFolders({ uuid: folder.uuid, atMost }))
  return locked.length
}

export async function updateParent(
  tx: OrganizationDb,
  folder: Folder,
  parentUuid: FolderUuid | null,
): Promise<ToldFolder> {
  const atRoot = Number(parentUuid === null) - Number(folder.parentUuid === null)
  const [[moved]] = await tx.run(
    setParent({ uuid: folder.uuid, parentUuid }),
    addToCounts({ inAll: 0, atRoot }),
  )
  if (!moved) throw new Error('A folder went though the tree was held')
  return moved
}

/** Answers what went, the deepest first. */
export async function removeFolders(
  tx: OrganizationDb,
  folder: Folder,
  count: number,
): Promise<ToldFolder[]> {
  const [removed] = await tx.run(
    removeSubtree({ uuid: folder.uuid, atMost: count }),
    addToCounts({ inAll: -count, atRoot: folder.parentUuid === null ? -1 : 0 }),
  )
  return removed
}
