/**
 * Records since when objects in a backup have been orphans. Neither their copy time nor the database contains that, so
 * it is stored next to the copies.
 */
import { z } from 'zod'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { Orphan } from './orphans.ts'

/** Key of the object with the dates. It is outside all prefixes, so that the object belongs to no organization. */
const KEY = 'reelkeep-orphans.json'

const datesSchema = z.record(z.string(), z.iso.datetime())

/** Adds new orphans, removes former ones, and returns since when each has been an orphan. */
export async function recordOrphans(
  media: MediaBucket,
  orphans: readonly Orphan[],
  now: Date,
): Promise<(orphan: Orphan) => Date> {
  const text = await media.findText(KEY)
  const before = new Map(text ? Object.entries(datesSchema.parse(JSON.parse(text))) : [])
  const dates = new Map(orphans.map((orphan) => [nameOf(orphan), before.get(nameOf(orphan)) ?? now.toISOString()]))
  const body = JSON.stringify(Object.fromEntries(dates))
  await media.put({ key: KEY, body, type: 'application/json' })
  return (orphan) => new Date(dates.get(nameOf(orphan)) ?? now)
}

const nameOf = ({ bucket, prefix }: Orphan) => `${bucket}/${prefix}`
