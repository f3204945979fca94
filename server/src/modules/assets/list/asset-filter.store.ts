/** SQL conditions of asset lists. The rows are called `listed`. */
import { sql } from 'kysely'
import type { AssetId, FolderUuid, PrincipalId } from '../../../kernel/ids.ts'
import type { Needle } from '../../../kernel/search-text.ts'
import type { Condition } from '../../../platform/db/paging/keyset-query.ts'
import { hasGrams, hasText } from '../../../platform/db/paging/title-search.ts'
import type { Given } from '../../../platform/db/statement.ts'
import type { AssetFilter } from './asset-filter.rules.ts'

type InFolder = { readonly folderUuid: FolderUuid }

/** Parameters of all conditions. Those of conditions that a list does not have are not used. */
export type FilterValues = InFolder &
  Needle & {
    readonly firstGram: number
    readonly status: string
    readonly statuses: readonly string[]
    readonly externalId: string
    readonly ids: readonly AssetId[]
    readonly createdFrom: string
    readonly createdUntil: string
    readonly durationMin: number
    readonly durationMax: string
    readonly createdBy: PrincipalId
    readonly [tag: TagName]: string
  }
type TagName = `tag${number}`

/** The folder and all folders below it. */
export const subtree = ({ organizationId, folderUuid }: Given<InFolder>) => sql<{
  uuid: FolderUuid
}>`
  with recursive subtree as (
    select uuid from folders where organization_id = ${organizationId} and uuid = ${folderUuid}
    union all
    select child.uuid from subtree join folders as child
      on child.organization_id = ${organizationId} and child.parent_uuid = subtree.uuid
  )
  select uuid from subtree`

type ConditionSql = (given: Given<FilterValues>) => Condition

/**
 * A condition in two forms: `find` lets Postgres use an index, also as a join; `test` tests one row. A scalar subquery
 * is a test, because Postgres neither joins nor hashes it.
 */
type TwoForms = { readonly find: ConditionSql; readonly test: ConditionSql }

const inBoth = (condition: ConditionSql): TwoForms => ({ find: condition, test: condition })

const inTable = (table: string): TwoForms => ({
  find: ({ organizationId }) => sql`
    listed.id in (select asset_id from ${sql.table(table)} where organization_id = ${organizationId})`,
  test: ({ organizationId }) => sql`(
    select true from ${sql.table(table)} as part
    where part.organization_id = ${organizationId} and part.asset_id = listed.id limit 1)`,
})

const hasTag = (tag: TagName): TwoForms => ({
  find: (given) => sql`
    listed.id in (
      select asset_id from asset_tags where organization_id = ${given.organizationId} and tag_key = ${given[tag]})`,
  test: (given) => sql`(
    select true from asset_tags as tag
    where tag.organization_id = ${given.organizationId} and tag.tag_key = ${given[tag]} and tag.asset_id = listed.id)`,
})

/** `column`, or `last` if it is null, as in the indexes; under row-level security, `coalesce` would not use them. */
export const orLast = (column: string, last: string) => `(case when ${column} is null then ${last} else ${column} end)`

const durationOrZero = sql.raw(orLast('duration_seconds', '0'))

/** Assets whose upload expired or was cancelled: the condition of an index. */
export const isAbandoned = sql`status = 'Cancelled' and bytes is null`

export const isKept = sql<boolean>`(listed.status <> 'Cancelled' or listed.bytes is not null)`

/** The conditions other than tags, by name. */
const conditions = {
  kept: inBoth(() => isKept),
  // The limits of the principal. Row-level security has the same conditions, but they use no index.
  inLimit: inBoth(() => sql`listed.folder_uuid in (select folders_in_limits())`),
  own: inBoth(({ createdBy }) => sql`listed.created_by = ${createdBy}::uuid`),
  root: inBoth(() => sql`listed.folder_uuid is null`),
  folder: inBoth(({ folderUuid }) => sql`listed.folder_uuid = ${folderUuid}`),
  subtree: inBoth((given) => sql`listed.folder_uuid in (${subtree(given)})`),
  status: inBoth(({ status }) => sql`listed.status = ${status}`),
  statuses: inBoth(({ statuses }) => sql`listed.status = any (${statuses}::text[])`),
  externalId: inBoth(({ externalId }) => sql`listed.external_id = ${externalId}`),
  ids: inBoth(({ ids }) => sql`listed.id = any (${ids}::uuid[])`),
  created: inBoth(
    ({ createdFrom, createdUntil }) =>
      sql`listed.created_at >= ${createdFrom}::timestamptz and listed.created_at < ${createdUntil}::timestamptz`,
  ),
  // The expression of an index. It is 0 for assets without a duration, which never match.
  duration: inBoth(
    ({ durationMin, durationMax }) => sql`
      ${durationOrZero} > 0
      and ${durationOrZero} >= ${durationMin}::double precision
      and ${durationOrZero} <= ${durationMax}::double precision`,
  ),
  subtitles: inTable('subtitle_tracks'),
  chapters: inTable('chapters'),
  // An asset has an error exactly if it has this status, which is indexed.
  error: inBoth(() => sql`listed.status = 'Error'`),
  text: inBoth(hasText),
  grams: { find: hasGrams, test: hasText },
} satisfies Record<string, TwoForms>

export type ConditionName = keyof typeof conditions | TagName

/** The names of the conditions of a filter, always in the same order. */
export function conditionNames(filter: AssetFilter): ConditionName[] {
  const { location, statuses, tagKeys, has, needle } = filter
  const given: (ConditionName | false)[] = [
    ...limitNames(filter),
    location.kind !== 'anywhere' && location.kind,
    statuses.length > 0 && (statuses.length === 1 ? 'status' : 'statuses'),
    hidesAbandoned(filter) && 'kept',
    ...tagKeys.map((_, index): TagName => `tag${index}`),
    filter.externalId !== undefined && 'externalId',
    filter.ids !== undefined && 'ids',
    filter.created !== undefined && 'created',
    filter.duration !== undefined && 'duration',
    ...(['subtitles', 'chapters', 'error'] as const).filter((feature) => has.includes(feature)),
    needle !== undefined && (needle.grams.length > 0 ? 'grams' : 'text'),
  ]
  return given.filter((name) => name !== false)
}

/** The names of the conditions of the limits. A list with one of them has no index for its order. */
export const limitNames = ({ limits }: Pick<AssetFilter, 'limits'>): ConditionName[] => [
  ...(limits?.folderUuid === undefined ? [] : (['inLimit'] as const)),
  ...(limits?.createdBy === undefined ? [] : (['own'] as const)),
]

/** Whether the view is read: it finds what is inside the limits at once, and a text by its index. */
export const readsView = (names: readonly ConditionName[]) =>
  names.some((name) => name === 'inLimit' || name === 'own' || name === 'text' || name === 'grams')

/** Abandoned assets match neither a status other than `Cancelled` nor a duration, so these need no condition. */
const hidesAbandoned = ({ statuses, duration, has }: AssetFilter) =>
  statuses.length === 0 && duration === undefined && !has.includes('error')

export function valuesOf(filter: AssetFilter): FilterValues {
  const { location, statuses, tagKeys, externalId, ids, created, duration, needle } = filter
  const values = {
    folderUuid: 'folder' in location ? location.folder.uuid : undefined,
    status: statuses[0],
    statuses,
    externalId,
    ids,
    createdFrom: created?.from ?? '-infinity',
    createdUntil: created?.until ?? 'infinity',
    durationMin: duration?.min ?? 0,
    durationMax: String(duration?.max ?? 'Infinity'),
    createdBy: filter.limits?.createdBy,
    ...needle,
    firstGram: needle?.grams[0],
    ...Object.fromEntries(tagKeys.map((key, index) => [`tag${index}`, key])),
  }
  return values as FilterValues
}

/** All conditions at once, in one of their forms, and that the asset is not in the trash. */
export const allOf =
  (names: readonly ConditionName[], form: keyof TwoForms): ConditionSql =>
  (given) =>
    sql`${sql.join([isListed, ...names.map((name) => sqlOf(name)[form](given))], sql` and `)}`

const isListed = sql<boolean>`listed.is_listed`

/**
 * All conditions of a search by grams, whose index finds the matches. The folder of each is tested by a hash: Postgres
 * expects far too few matches, and would compare each with all folders below.
 */
export const allOfSearch = (names: readonly ConditionName[]): ConditionSql => {
  const others = allOf(
    names.filter((name) => name !== 'subtree'),
    'find',
  )
  if (!names.includes('subtree')) return others
  return (given) => sql`${others(given)} and (${conditions.subtree.test(given)}) is true`
}

/** The same for assets in the trash. The table of tags does not contain them, so their own tags are compared. */
export const allInTrash =
  (names: readonly ConditionName[]): ConditionSql =>
  (given) => {
    const isMatch = names.map((name) =>
      name in conditions ? sqlOf(name).test(given) : hasOwnTag(given, name as TagName),
    )
    return sql`${sql.join([sql`listed.deleted_at is not null`, ...isMatch], sql` and `)}`
  }

const hasOwnTag = (given: Given<FilterValues>, tag: TagName): Condition => sql`
  ${given[tag]} in (select lower(tag collate "und-x-icu") from unnest(listed.tags) as tag)`

export const sqlOf = (name: ConditionName): TwoForms =>
  name in conditions ? conditions[name as keyof typeof conditions] : hasTag(name as TagName)
