/**
 * Since when something in a backup has been found to belong to nobody. When it was copied tells
 * nothing about that, and rows that were deleted tell nothing at all, so it is noted beside the
 * copies.
 */
import { z } from 'zod'
import type { MediaBucket } from '../platform/storage/media-bucket.ts'
import type { Orphan } from './orphans.ts'

/** In no folder, so that it is nobody's. */
const KEY = 'reelkeep-orphans.json'

const notesSchema = z.record(z.string(), z.iso.datetime())

/** Notes those that are new, forgets those that are none any more, and answers since when each has been one. */
export async function noteOrphans(
  media: MediaBucket,
  orphans: readonly Orphan[],
  now: Date,
): Promise<(orphan: Orphan) => Date> {
  const text = await media.findText(KEY)
  const before = new Map(text ? Object.entries(notesSchema.parse(JSON.parse(text))) : [])
  const notes = new Map(
    orphans.map((orphan) => [nameOf(orphan), before.get(nameOf(orphan)) ?? now.toISOString()]),
  )
  const body = JSON.stringify(Object.fromEntries(notes))
  await media.put({ key: KEY, body, type: 'application/json' })
  return (orphan) => new Date(notes.get(nameOf(orphan)) ?? now)
}

const nameOf = ({ bucket, prefix }: Orphan) => `${bucket}/${prefix}`
