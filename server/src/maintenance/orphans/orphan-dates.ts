/**
 * Records since when objects in a backup are orphans. Neither their copy time nor deleted rows say that, so it is
 * stored beside the copies.
 */
import { z } from 'zod'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { Orphan } from './orphans.ts'

/** Outside all prefixes, so that it belongs to no organization. */
const KEY = 'reelkeep-orphans.json'

const datesSchema = z.record(z.string(), z.iso.datetime())

/** Adds new orphans, removes former ones, and returns since when each has been one. */
export async function recordOrphans(
  media: MediaBucket,
  orphans: readonly Orphan[],
  now: Date,
): Promise<(orphan: Orphan) => Date> {
  const text = await media.findText(KEY)
  const before = new Map(text ? Object.entries(datesSchema.parse(JSON.parse(text))) : [])
  const dates = new Map(
    orphans.map((orphan) => [nameOf(orphan), before.get(nameOf(orphan)) ?? now.toISOString()]),
  )
  const body = JSON.stringify(Object.fromEntries(dates))
  await media.put({ key: KEY, body, type: 'application/json' })
  return (orphan) => new Date(dates.get(nameOf(orphan)) ?? now)
}

const nameOf = ({ bucket, prefix }: Orphan) => `${bucket}/${prefix}`
