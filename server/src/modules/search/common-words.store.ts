/**
 * Searches for common words. The index of the words has all moments with a word before it returns the first: for a word
 * in a tenth of a million moments, that takes longer than to test moments one by one. So a few of them are tested
 * first, which shows whether the word is common.
 */
import { type RawBuilder, sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { customPlan, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { SearchedText } from './search.rules.ts'

/** The partial indexes have the same conditions. */
export const kindsOf: Record<SearchedText, RawBuilder<unknown>> = {
  titles: sql`kind in ('title', 'description', 'tag')`,
  chapters: sql`kind = 'chapter'`,
  transcript: sql`kind = 'transcript'`,
}

/** As `kindsOf`, for the primary key, by which the moments of an asset are found. */
export const sourcesOf: Record<SearchedText, RawBuilder<unknown>> = {
  titles: sql`source in ('title', 'description', 'tag')`,
  chapters: sql`source = 'chapter'`,
  transcript: sql`source not in ('title', 'description', 'tag', 'chapter')`,
}

/** Of a search everywhere, the newest moments; of others, the moments of some assets in the scope. */
export type Walk = 'newest' | 'scope'

/** `assetIds` are those of some assets in the scope. */
type WalkedSearch = { readonly query: string; readonly assetIds: readonly AssetId[] }

const SAMPLED = {
  newest: 3000,
  // Assets are read one by one, which costs more per moment.
  scope: 1000,
}
const SAMPLED_PER_ASSET_MAX = 50

/** Part of the sample that matches, with which enough hits are found among `MOMENTS_WALKED_MAX` moments. */
const COMMON_PART = 0.02
const SAMPLED_HITS_MIN = 20
const MOMENTS_WALKED_MAX = 50_000

/** The asset of the moment that is older than this many others. Ids of assets are in the order of their creation. */
const assetOfNewest = ({ organizationId }: Given<object>, count: number) => sql<{ id: AssetId }>`
  select asset_id as id from moments where organization_id = ${organizationId}
  order by asset_id desc offset ${sql.lit(count)} limit 1`

/**
 * The moments from this asset on that the principal may see; of all assets if it is null. So the number of moments that
 * are read is limited before hidden ones are left out.
 */
const momentsFrom = (asset: RawBuilder<unknown>, count: number) => sql`(
  select * from searchable_moments where asset_id >= coalesce(${asset}, '00000000-0000-0000-0000-000000000000')
  order by asset_id desc, source desc, number desc limit ${sql.lit(count)}) as newest`

/** Moments of assets in the scope; `perAsset` limits those of each. */
const momentsInScope = ({ assetIds }: Given<WalkedSearch>, count: number, perAsset = count) => sql`(
  select moment.* from unnest(${assetIds}::uuid[]) as chosen (id) cross join lateral (
    select * from searchable_moments
    where asset_id = chosen.id and ${kindsOf.transcript} and ${sourcesOf.transcript} limit ${sql.lit(perAsset)}
  ) as moment limit ${sql.lit(count)}) as moments_in_scope`

/** The moments of transcripts that are read instead of the index. */
export const walkedMoments = (given: Given<WalkedSearch>, walk: Walk) =>
  walk === 'newest'
    ? momentsFrom(sql`(${assetOfNewest(given, MOMENTS_WALKED_MAX)})`, MOMENTS_WALKED_MAX)
    : momentsInScope(given, MOMENTS_WALKED_MAX)

/** With the statistics of the organization: for an average one, Postgres might sort all moments of a large one. */
const startOfSample = customPlan(statement((given: Given<object>) => assetOfNewest(given, SAMPLED.newest)))

/** The number of some moments of transcripts, and of the hits among them. */
const sampleOf = (walk: Walk) =>
  dedicatedConnection(
    statement((given: Given<WalkedSearch & { readonly start: AssetId | null }>) => {
      const moments =
        walk === 'newest'
          ? momentsFrom(sql`${given.start}::uuid`, SAMPLED.newest)
          : momentsInScope(given, SAMPLED.scope, SAMPLED_PER_ASSET_MAX)
      return sql<{ hits: number; moments: number }>`
        select count(*) filter (where words @@ ${given.query}::tsquery) as hits, count(*) as moments
        from ${moments} where ${kindsOf.transcript}`
    }),
  )
const samples = { newest: sampleOf('newest'), scope: sampleOf('scope') }

/** Whether many of the sampled moments match, so that the index need not be read. */
export async function isCommon(db: OrganizationDb, { query, assetIds }: WalkedSearch, walk: Walk): Promise<boolean> {
  const [[start]] = walk === 'newest' ? await db.run(startOfSample({})) : [[]]
  const [[sample]] = await db.run(samples[walk]({ query, assetIds, start: start?.id ?? null }))
  return sample !== undefined && sample.hits >= Math.max(SAMPLED_HITS_MIN, COMMON_PART * sample.moments)
}
