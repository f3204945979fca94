/** Whether database and buckets agree, both ways, and what is done where they do not. */
import { processAgain } from '../capabilities/pipeline/pipeline.ts'
import type { Database } from '../platform/db/database.ts'
import { countElsewhere, unlessHeld } from './attended.ts'
import type { Buckets } from './buckets.ts'
import { type Freed, freeOrphans } from './free-orphans.ts'
import { findMissing, type MissingOfAsset, type Sources } from './missing.ts'
import { findOrphans, isOfAsset, type Orphan } from './orphans.ts'

export type ReconcileWish = {
  /** Which version of a file counts: the one that rows name, or in a copy any. */
  readonly sources: Sources
  /** Has made again what can be. */
  readonly isRetrying: boolean
  /** Deletes what belongs to nobody, and is old enough; if there are many, only as many as are named. */
  readonly isFreeing: boolean
  readonly orphansMax: number | undefined
  readonly now: Date
}

export type Found<Row> = {
  readonly count: number
  /** The first of them. */
  readonly rows: readonly Row[]
}

/** So many are told by name; who has more of them has another problem first. */
const NAMED_MAX = 10_000

export type Reconciled = {
  readonly missing: Found<MissingOfAsset>
  readonly orphans: Found<Orphan>
  readonly retried: number
  readonly freed: Freed
  /** Organizations that were passed over, because they live in another cell or are on their way from one. */
  readonly elsewhere: number
  readonly doAgree: boolean
}

export async function reconcile(
  database: Database,
  buckets: Buckets,
  wish: ReconcileWish,
): Promise<Reconciled> {
  const retried = new Set<string>()
  const missing = await gather(findMissing(database, buckets, wish.sources), async (one) => {
    if (wish.isRetrying && one.remedy === 'retry') await retry(database, one, retried)
  })
  let [seen, ofAssets] = [0, 0]
  const orphans = await gather(
    findOrphans(database, buckets, (places) => (seen += places)),
    async (one) => {
      if (isOfAsset(one)) ofAssets += 1
    },
  )
  const found = { rows: orphans.rows, ofAssets, seen }
  const kind = wish.sources === 'copied' ? 'backup' : 'live'
  const freed = wish.isFreeing
    ? await freeOrphans(database, buckets, found, { ...wish, kind })
    : { freed: 0, refusal: undefined }
  // What is made again is not there yet.
  const doAgree = missing.count === 0 && orphans.count === freed.freed
  const elsewhere = await countElsewhere(database)
  return { missing, orphans, retried: retried.size, freed, elsewhere, doAgree }
}

/** Several kinds of pieces may be missing of one video; it is made again once. */
async function retry(
  database: Database,
  { organizationId, assetId }: MissingOfAsset,
  retried: Set<string>,
): Promise<void> {
  if (retried.has(assetId)) return
  const promising = processAgain(database.forOrganization(organizationId), assetId)
  if (await unlessHeld(promising, false)) retried.add(assetId)
}

async function gather<Row>(
  found: AsyncIterable<Row>,
  handle: (row: Row) => Promise<void>,
): Promise<Found<Row>> {
  const rows: Row[] = []
  let count = 0
  for await (const row of found) {
    count += 1
    if (rows.length < NAMED_MAX) rows.push(row)
    await handle(row)
  }
  return { count, rows }
}
