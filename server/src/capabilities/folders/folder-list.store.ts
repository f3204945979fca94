import { sql } from 'kysely'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, rowsToFetch } from '../../platform/db/keyset.ts'
import { build, type Given, type Query, statement, takesLong } from '../../platform/db/statement.ts'
import type { FolderName } from './folders.rules.ts'

/** The position a page begins at, and how many rows to read from there. */
export type Edge = { readonly title: string; readonly uuid: string; readonly limit: number }

/** The four ways to read a list: from its start or end, onwards from a position, and back from one. */
export type Reading<Params extends object> = {
  readonly start: (params: Params & { readonly limit: number }) => Query<FolderName>
  readonly end: (params: Params & { readonly limit: number }) => Query<FolderName>
  readonly after: (params: Params & Edge) => Query<FolderName>
  readonly before: (params: Params & Edge) => Query<FolderName>
}

export function read<Params extends object>(
  reading: Reading<Params>,
  params: Params,
  request: PageRequest,
): Query<FolderName> {
  const { position } = request
  const limit = rowsToFetch(request)
  const isBackwards = position?.direction === 'before'
  const [title, uuid] = position?.key ?? []
  if (title === undefined || uuid === undefined) {
    return (isBackwards ? reading.end : reading.start)({ ...params, limit })
  }
  return (isBackwards ? reading.before : reading.after)({ ...params, title, uuid, limit })
}

export const isAfter = ({ title, uuid }: Edge) => sql<boolean>`(title, uuid) > (${title}, ${uuid})`
export const isBefore = ({ title, uuid }: Edge) => sql<boolean>`(title, uuid) < (${title}, ${uuid})`

const allFolders = ({ organizationId }: Given<object>) =>
  build
    .selectFrom('folders')
    .select(['title', 'uuid'])
    .where('organization_id', '=', organizationId)

type InParent = { readonly parentUuid: FolderUuid }

const inParent = (given: Given<InParent>) =>
  allFolders(given).where('parent_uuid', '=', given.parentUuid)

const atRoot = (given: Given<object>) => allFolders(given).where('parent_uuid', 'is', null)

function readingOf<Params extends object>(
  rowsOf: (given: Given<Params>) => ReturnType<typeof allFolders>,
): Reading<Params> {
  return {
    start: statement((given: Given<Params & { limit: number }>) =>
      rowsOf(given).orderBy('title').orderBy('uuid').limit(given.limit),
    ),
    end: statement((given: Given<Params & { limit: number }>) =>
      rowsOf(given).orderBy('title', 'desc').orderBy('uuid', 'desc').limit(given.limit),
    ),
    after: statement((given: Given<Params & Edge>) =>
      rowsOf(given).where(isAfter(given)).orderBy('title').orderBy('uuid').limit(given.limit),
    ),
    before: statement((given: Given<Params & Edge>) =>
      rowsOf(given)
        .where(isBefore(given))
        .orderBy('title', 'desc')
        .orderBy('uuid', 'desc')
        .limit(given.limit),
    ),
  }
}

const readAll = readingOf(allFolders)
const readInParent = readingOf(inParent)
const readAtRoot = readingOf(atRoot)

/** Exact, and at the same cost for ten folders and ten million. */
export const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select coalesce(sum(folder_count), 0)::bigint as count
    from folder_counts where organization_id = ${organizationId}`,
)

const countRoot = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select coalesce(sum(root_count), 0)::bigint as count
    from folder_counts where organization_id = ${organizationId}`,
)

/** Read when asked: see docs/decisions/0004-counts.md. */
const countInParent = takesLong(
  statement((given: Given<InParent>) =>
    inParent(given)
      .clearSelect()
      .select(({ fn }) => fn.countAll<number>().as('count')),
  ),
)

type Found = { readonly rows: readonly FolderName[]; readonly count: number }

export async function selectAllFolders(db: OrganizationDb, request: PageRequest): Promise<Found> {
  return found(await db.run(read(readAll, {}, request), countAll({})))
}

export async function selectFoldersIn(
  db: OrganizationDb,
  parentUuid: FolderUuid,
  request: PageRequest,
): Promise<Found> {
  const within = { parentUuid }
  return found(await db.run(read(readInParent, within, request), countInParent(within)))
}

export async function selectFoldersAtRoot(
  db: OrganizationDb,
  request: PageRequest,
): Promise<Found> {
  return found(await db.run(read(readAtRoot, {}, request), countRoot({})))
}

const found = ([rows, [total]]: readonly [FolderName[], { count: number }[]]): Found => ({
  rows,
  count: total?.count ?? 0,
})
