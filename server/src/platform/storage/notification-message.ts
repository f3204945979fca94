/**
 * Parses notifications about new objects. A storage service with its own format gets its own parser beside
 * `readRadosgwEvents`. An event is only a hint to check storage.
 */
import { z } from 'zod'

export type ObjectCreated = { readonly bucket: string; readonly key: string }

/** Maximum number of records; storage puts fewer into one message. */
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

/** Reads a message of Ceph's HTTP push, in the format of S3 event records. Undefined if the message is invalid. */
export function readRadosgwEvents(message: unknown): ObjectCreated[] | undefined {
  const parsed = radosgwMessage.safeParse(message)
  if (!parsed.success) return undefined
  return parsed.data.Records.filter(({ eventName }) => eventName.includes('ObjectCreated')).map(({ s3 }) => ({
    bucket: s3.bucket.name,
    key: s3.object.key,
  }))
}
