import { search as contract } from '@reelkeep/contract'
import type { CueInText } from '@reelkeep/media'
import { type RawBuilder, sql } from 'kysely'
import type { AssetId, FolderUuid, SubtitleId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { type KeysetQuery, keysetQuery, type Order, type PageWindow } from '../../platform/db/paging/keyset-query.ts'
import { customPlan, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { isCommon, kindsOf, sourcesOf, type Walk, walkedMoments } from './common-words.store.ts'
import type { MomentKind, SearchedText, SearchMode } from './search.rules.ts'

/**
 * How many moments of each kind of text are ranked. For a word in every sentence, more would take seconds, and those
 * that are left out are not better.
 */
export const HITS_MAX = 1000

/** How many moments are ranked by their meaning, and how many of each kind a hybrid search combines. */
const NEAREST_MAX = 200

/** Weakens the first ranks of each list (reciprocal rank fusion, with the constant of its authors). */
const RANK_OFFSET = 60

/** The meaning of a search text, as the vectors of moments are stored. */
export type Meaning = { readonly model: number; readonly fingerprint: string }

/**
 * A search text as queries of Postgres, for the index and for highlights: in the index, each word starts with the
 * prefix of the organization.
 */
export type TextQuery = { readonly query: string; readonly display: string }

const textQuery = statement(
  ({ organizationId, text }: Given<{ text: string }>) => sql<{ query: string | null; display: string | null }>`
    select query, replace(query, '''' || prefix, '''') as display
    from (
      select prefix, search_query(prefix, configurations, ${text})::text as query
      from (
        select search_prefix(${organizationId}) as prefix, array['simple'] || array(
          select configuration from search_configurations where organization_id = ${organizationId} order by configuration
        ) as configurations
      ) as used
    ) as parsed`,
)

/** Undefined if the text has no words. */
export async function readTextQuery(db: OrganizationDb, text: string): Promise<TextQuery | undefined> {
  const [[row]] = await db.run(textQuery({ text }))
  return row?.query != null && row.display !== null ? { query: row.query, display: row.display } : undefined
}

export type FoundMoment = {
  readonly kind: MomentKind
  readonly source: string
  readonly number: number
  readonly subtitleId: SubtitleId | null
  readonly startMs: number
  readonly endMs: number | null
  readonly text: string
  readonly language: string
  readonly score: number
  /** Null unless the moment is from a transcript. */
  readonly cues: readonly CueInText[] | null
  /** When the sentence with the nearest meaning begins. */
  readonly nearMs: number | null
  /** The folded text with marks around the matching words, in the language of the text and in none. */
  readonly marked: readonly string[]
}

export type FoundAsset = {
  readonly assetId: AssetId
  readonly score: string
  /** Number of assets on all pages. */
  readonly count: number
  /** Whether all matching moments were ranked. */
  readonly isComplete: boolean
  readonly moments: readonly FoundMoment[]
}

/** Where a search looks: all assets, those at the root, in a folder, in a folder and those below it, or given ones. */
export type SearchPlace = 'anywhere' | 'root' | 'folder' | 'subtree' | 'assets'

type Filter = {
  readonly folderUuid: FolderUuid | null
  readonly tagKeys: readonly string[]
  readonly tagCount: number
  /** The assets of the place `assets`; of other places some, and none if a search looks everywhere. */
  readonly assetIds: readonly AssetId[]
}

export type AssetSearch = TextQuery &
  Filter &
  Meaning & { readonly titles: boolean; readonly chapters: boolean; readonly transcript: boolean }

const places: Record<SearchPlace, (given: Given<Filter>) => RawBuilder<unknown>> = {
  anywhere: () => sql``,
  root: () => sql`and folder_uuid is null`,
  folder: ({ folderUuid }) => sql`and folder_uuid = ${folderUuid}`,
  subtree: ({ organizationId, folderUuid }) => sql`and folder_uuid = any (array(
    with recursive subtree as (
      select uuid from folders where organization_id = ${organizationId} and uuid = ${folderUuid}
      union all
      select child.uuid from subtree join folders as child
        on child.organization_id = ${organizationId} and child.parent_uuid = subtree.uuid
    )
    select uuid from subtree))`,
  assets: ({ assetIds }) => sql`and asset_id = any (${assetIds}::uuid[])`,
}

const hasTags = ({ organizationId, tagKeys, tagCount }: Given<Filter>) => sql`and asset_id in (
  select asset_id from asset_tags where organization_id = ${organizationId} and tag_key = any (${tagKeys}::text[])
  group by asset_id having count(*) = ${tagCount}::integer)`

type Where = {
  readonly place: SearchPlace
  readonly filter: RawBuilder<unknown>
  /** The moments of transcripts that are read instead of the index of the words. */
  readonly walk: Walk | undefined
}

/** With so many assets at most, their moments are read, and otherwise the hits in all assets. */
const SCOPE_ASSETS_MAX = 1000

/** The assets in a place, with these tags, and in the limits of the principal. */
function scopeOf(place: SearchPlace, isTagged: boolean, isLimited: boolean) {
  return customPlan(
    statement(
      (given: Given<Filter>) => sql<{ id: AssetId }>`
        select asset_id as id from (select id as asset_id, folder_uuid from searchable_assets) as asset
        where true ${places[place](given)} ${isTagged ? hasTags(given) : sql``}
          ${isLimited ? sql`and folder_uuid in (select folders_in_limits())` : sql``}
        limit ${sql.lit(SCOPE_ASSETS_MAX + 1)}`,
    ),
  )
}

/** Assets in which is searched. If there are more, `isComplete` is false. */
export type Scope = { readonly assetIds: readonly AssetId[]; readonly isComplete: boolean }

/** `isLimited`: the principal is limited to a folder. */
export async function selectScope(
  db: OrganizationDb,
  { place, isLimited, ...filter }: Filter & { readonly place: SearchPlace; readonly isLimited: boolean },
): Promise<Scope> {
  const query = scopes.get(`${place} ${filter.tagCount > 0} ${isLimited}`)
  if (!query) throw new Error(`There is no scope of this kind: ${place}`)
  const [rows] = await db.run(query(filter))
  const assetIds = rows.slice(0, SCOPE_ASSETS_MAX).map(({ id }) => id)
  return { assetIds, isComplete: rows.length <= SCOPE_ASSETS_MAX }
}

const hits = (given: Given<AssetSearch>, text: SearchedText, where: Where) => sql`(
  select asset_id, source, number, kind, start_ms, end_ms, text, cues, language, words, null::integer as near_ms,
    ${text} as part
  from ${momentsFor(given, text, where)}
  where ${given[text]}::boolean and ${kindsOf[text]} and words @@ ${given.query}::tsquery ${where.filter}
  limit ${sql.lit(HITS_MAX)})`

function momentsFor(given: Given<AssetSearch>, text: SearchedText, { place, walk }: Where) {
  if (place === 'assets') return momentsOf(given, text)
  return walk && text === 'transcript' ? walkedMoments(given, walk) : sql`searchable_moments`
}

const filterOf = (given: Given<AssetSearch>, { place, isTagged }: Omit<SearchKind, 'mode'>) =>
  sql`${places[place](given)} ${isTagged ? hasTags(given) : sql``}`

/** Asset by asset, so that the index of the words, which has the hits in all assets, is not read. */
const momentsOf = ({ assetIds, query }: Given<AssetSearch>, text: SearchedText) => sql`
  unnest(${assetIds}::uuid[]) as chosen (id) cross join lateral (
    select * from searchable_moments
    where asset_id = chosen.id and ${kindsOf[text]} and ${sourcesOf[text]} and words @@ ${query}::tsquery offset 0
  ) as moment`

const highlightOptions = sql.lit('HighlightAll=true, StartSel={, StopSel=}')

/** The folded text, once for both highlights. */
const folding = sql`cross join lateral (select fold_words(text) as folded offset 0) as folding`

/** Columns of a moment. One that was found by its meaning only has no highlights: "the" would be one. */
const momentColumns = ({ query, display }: TextQuery) => sql`
  'kind', kind, 'source', source, 'number', number,
  'subtitleId', case when kind = 'transcript' then source end,
  'startMs', start_ms, 'endMs', end_ms, 'text', text, 'language', language,
  'cues', cues, 'nearMs', near_ms,
  'score', moment_score, 'marked', case when words @@ ${query}::tsquery then array[
    ts_headline(search_configuration(language)::regconfig, folded, ${display}::tsquery, ${highlightOptions}),
    ts_headline('simple', folded, ${display}::tsquery, ${highlightOptions})] else '{}' end`

const momentScore = ({ query }: TextQuery) => sql`
  round((ts_rank(words, ${query}::tsquery) *
    case kind when 'title' then 4 when 'tag' then 3 when 'chapter' then 2 else 1 end)::numeric, 6)`

const bestFirst: Order = { columns: ['score', 'asset_id'], direction: 'desc' }

/** The moments with their scores, by mode, as the common table expression `scored`. */
const scoredBy: Record<SearchMode, (given: Given<AssetSearch>, where: Where) => RawBuilder<unknown>> = {
  lexical: (given, where) => sql`
    hit as materialized (${allHits(given, where)}),
    scored as (select *, ${momentScore(given)} as moment_score from hit)`,
  semantic: (given, { filter }) => sql`
    near as materialized (${nearest(given, filter)}),
    scored as (
      select moment.*, near_ms, round(greatest(cos(pi() * distance / 1024), 0)::numeric, 6) as moment_score
      from near join searchable_moments as moment using (asset_id, source, number))`,
  hybrid: (given, where) => sql`
    hit as materialized (${allHits(given, where)}),
    words_ranked as (
      select asset_id, source, number, row_number() over (order by score desc, asset_id, source, number) as rank
      from (select *, ${momentScore(given)} as score from hit) as hit order by rank limit ${sql.lit(NEAREST_MAX)}),
    near as materialized (${nearest(given, where.filter)}),
    near_ranked as (
      select asset_id, source, number, near_ms,
        row_number() over (order by distance, asset_id, source, number) as rank
      from near),
    fused as (
      select asset_id, source, number, round(
        coalesce(1.0 / (${sql.lit(RANK_OFFSET)} + words_ranked.rank), 0) +
        coalesce(1.0 / (${sql.lit(RANK_OFFSET)} + near_ranked.rank), 0), 6) as moment_score, near_ms
      from words_ranked full join near_ranked using (asset_id, source, number)),
    scored as (
      select moment.*, near_ms, moment_score from fused join searchable_moments as moment using (asset_id, source, number))`,
}

const allHits = (given: Given<AssetSearch>, where: Where) => sql`
  ${hits(given, 'titles', where)} union all ${hits(given, 'chapters', where)}
  union all ${hits(given, 'transcript', where)}`

/** The moments with the nearest meaning, each with the sentence that has it. */
const nearest = (given: Given<AssetSearch>, filter: RawBuilder<unknown>) => sql`
  select distinct on (asset_id, source, number) asset_id, source, number, distance, near_ms
  from (${nearestSentences(given, filter)}) as sentence
  order by asset_id, source, number, distance, near_ms`

const nearestSentences = (given: Given<AssetSearch>, filter: RawBuilder<unknown>) => sql`
  select asset_id, source, number, start_ms as near_ms, bit_count(fingerprint # ${given.fingerprint}::bit(1024)) as distance
  from searchable_embeddings
  where model = ${given.model}::integer and (
    ${given.titles}::boolean and source in ('title', 'description', 'tag')
    or ${given.chapters}::boolean and source = 'chapter'
    or ${given.transcript}::boolean and source not in ('title', 'description', 'tag', 'chapter')) ${filter}
  order by distance limit ${sql.lit(NEAREST_MAX)}`

/**
 * A video with many moments that contain a word is about it; a video with one moment that fits is as good as others.
 */
const scoreOfAsset: Record<SearchMode, RawBuilder<unknown>> = {
  lexical: sql`sum(moment_score)`,
  semantic: sql`max(moment_score)`,
  hybrid: sql`max(moment_score)`,
}

/** A search by meaning ranks some of the moments, whatever the text is. */
const isComplete: Record<SearchMode, RawBuilder<unknown>> = {
  lexical: sql`not exists (select from hit group by part having count(*) >= ${sql.lit(HITS_MAX)})`,
  semantic: sql`false`,
  hybrid: sql`false`,
}

type SearchKind = {
  readonly mode: SearchMode
  readonly place: SearchPlace
  readonly isTagged: boolean
}

/** A found asset, and the number of hits in transcripts that were ranked. */
type FoundRow = FoundAsset & { readonly transcripts: number }

function searchOf({ mode, ...kind }: SearchKind, walk?: Walk): KeysetQuery<AssetSearch, FoundRow> {
  const describe = (given: Given<AssetSearch>, { afterPosition, order, limit }: PageWindow) => {
    const filter = filterOf(given, kind)
    return sql<FoundRow>`
      with ${scoredBy[mode](given, { place: kind.place, filter, walk })}, ranked as materialized (
        select *, row_number() over (
          partition by asset_id order by moment_score desc, start_ms, source, number) as place
        from scored
      ), found as materialized (
        select asset_id, ${scoreOfAsset[mode]} as score from ranked
        where place <= ${sql.lit(contract.MOMENTS_PER_ASSET_MAX)} group by asset_id
      ), page as (
        select * from found where ${afterPosition} ${order} limit ${limit}
      ), shown as (
        select asset_id, jsonb_agg(jsonb_build_object(${momentColumns(given)}) order by place) as moments
        from (
          select * from ranked
          where asset_id in (select asset_id from page) and place <= ${sql.lit(contract.MOMENTS_PER_ASSET_MAX)}
        ) as ranked ${folding}
        group by asset_id
      )
      select page.asset_id as "assetId", page.score::text as score, (select count(*) from found) as count,
        ${isComplete[mode]} as "isComplete", shown.moments,
        ${mode === 'semantic' ? sql`0` : sql`(select count(*) from hit where part = 'transcript')`} as transcripts
      from page join shown using (asset_id) ${order}`
  }
  return customPlan(keysetQuery(bestFirst, describe))
}

const nameOf = ({ mode, place, isTagged }: SearchKind) => `${mode} ${place} ${isTagged}`
const kinds = (Object.keys(scoredBy) as SearchMode[]).flatMap((mode) =>
  (Object.keys(places) as SearchPlace[]).flatMap((place) =>
    [false, true].map((isTagged) => ({ mode, place, isTagged })),
  ),
)
const scopes = new Map(
  (Object.keys(places) as SearchPlace[]).flatMap((place) =>
    [false, true].flatMap((isTagged) =>
      [false, true].map(
        (isLimited) => [`${place} ${isTagged} ${isLimited}`, scopeOf(place, isTagged, isLimited)] as const,
      ),
    ),
  ),
)
const searches = new Map(
  kinds.map((kind) => [
    nameOf(kind),
    { byIndex: searchOf(kind), newest: searchOf(kind, 'newest'), scope: searchOf(kind, 'scope') },
  ]),
)

/** Assets with their best moments; one more than the page shows. */
export async function selectFoundAssets(
  db: OrganizationDb,
  { mode, place, ...search }: AssetSearch & { readonly mode: SearchMode; readonly place: SearchPlace },
  request: PageRequest,
): Promise<readonly FoundAsset[]> {
  const kind = { mode, place, isTagged: search.tagKeys.length > 0 }
  const queries = searches.get(nameOf(kind))
  if (!queries) throw new Error(`There is no search of this kind: ${nameOf(kind)}`)
  if (mode !== 'semantic' && place !== 'assets' && search.transcript) {
    const walk = search.assetIds.length > 0 ? 'scope' : 'newest'
    if (await isCommon(db, search, walk)) {
      const [rows] = await db.run(queries[walk](search, request))
      if (rows[0]?.transcripts === HITS_MAX) return rows
    }
  }
  const [rows] = await db.run(queries.byIndex(search, request))
  return rows
}

type MomentSearch = TextQuery & { readonly assetId: AssetId; readonly kinds: readonly MomentKind[] }

const matchesIn = ({ organizationId, assetId, kinds, query }: Given<MomentSearch>) => sql`
  organization_id = ${organizationId} and asset_id = ${assetId} and kind = any (${kinds}::text[])
  and words @@ ${query}::tsquery`

const byStart: Order = { columns: ['start_ms', 'source', 'number'], direction: 'asc' }

const momentsPage = dedicatedConnection(
  keysetQuery(
    byStart,
    (given: Given<MomentSearch>, { afterPosition, order, limit }: PageWindow) => sql<{ moment: FoundMoment }>`
      select jsonb_build_object(${momentColumns(given)}) as moment
      from (
        select *, null::integer as near_ms, ${momentScore(given)} as moment_score from searchable_moments
        where ${matchesIn(given)} and ${afterPosition} ${order} limit ${limit}
      ) as found ${folding} ${order}`,
  ),
)

const momentsCount = dedicatedConnection(
  statement(
    (given: Given<MomentSearch>) => sql<{ count: number }>`
      select count(*) as count from searchable_moments where ${matchesIn(given)}`,
  ),
)

/** Moments of an asset, one more than the page shows, with the number on all pages. */
export async function selectMoments(
  db: OrganizationDb,
  search: MomentSearch,
  request: PageRequest,
): Promise<{ readonly rows: readonly FoundMoment[]; readonly count: number }> {
  const [rows, [counted]] = await db.run(momentsPage(search, request), momentsCount(search))
  return { rows: rows.map(({ moment }) => moment), count: counted?.count ?? 0 }
}
