import { MoveRefused } from '../move-refused.ts'
import type { OpenCell } from '../open-cell.ts'

const SECONDS_MAX = 60

const kinds = ['uploads', 'media'] as const

/**
 * Throws if two cells share a bucket: deleting an organization in one would delete its objects in the other. An
 * endpoint may have several names, so the check puts an object into one bucket and looks for it in the other. The
 * object's prefix cannot be the id of an organization.
 */
export async function assertSeparateBuckets(one: OpenCell, other: OpenCell): Promise<void> {
  const prefix = `reelkeep-probe-${crypto.randomUUID()}/`
  for (const kind of kinds) {
    const bucket = one.buckets[kind]
    try {
      const signal = AbortSignal.timeout(SECONDS_MAX * 1000)
      await bucket.objects.put(`${prefix}probe`, Buffer.from('May be deleted.'), undefined, signal)
      for (const otherKind of kinds) {
        if (await other.buckets[otherKind].objects.find({ key: `${prefix}probe` }, signal)) {
          throw new MoveRefused(
            `The ${kind} bucket of cell ${one.name} is the ${otherKind} bucket of cell ${other.name} under another name. Give each cell buckets of its own.`,
          )
        }
      }
    } finally {
      await bucket.deleteAll(prefix)
    }
  }
}
