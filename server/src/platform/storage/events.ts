/**
 * What storage says about new objects, whatever its dialect. Each storage that notifies in its own way has
 * a reader beside `readRadosgwEvents`, and the receiver is none the wiser: an event is a hint to look, never
 * the truth about what is there.
 */
import { z } from 'zod'

export type ObjectCreated = { readonly bucket: string; readonly key: string }

/** More than storage ever puts into one message. */
const RECORDS_MAX = 1000

const radosgwMessage = z.object({
  Records: z
    .array(
      z.object({
        eventName: z.string(),
        s3: z.object({
          bucket: z.object({ name: z.string() }),
          object: z.object({ key: z.string() }),
        }),
      }),
    )
    .max(RECORDS_MAX),
})

/** Ceph's HTTP push, which has the form of S3's own records. Undefined: it is none. */
export function readRadosgwEvents(message: unknown): ObjectCreated[] | undefined {
  const parsed = radosgwMessage.safeParse(message)
  if (!parsed.success) return undefined
  return parsed.data.Records.filter(({ eventName }) => eventName.includes('ObjectCreated')).map(
    ({ s3 }) => ({ bucket: s3.bucket.name, key: s3.object.key }),
  )
}
