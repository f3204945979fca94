/** Takes away what the trials have left, on a storage of which nothing is known to work. */
import { DeleteBucketCommand, DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { objectsUnder, type Page, type Place, versionsUnder } from '../listing.ts'
import type { UploadsBucket } from '../uploads-bucket.ts'

/** `ways` to free it: as if it kept versions, and as if it kept none. */
type Clearing = Place & { readonly ways: readonly UploadsBucket[] }

/** Empties it as well as can be: many at once, or one by one. Answers whether that went well. */
export async function clear({ ways, ...place }: Clearing): Promise<boolean> {
  for (const way of ways) if (await succeeds(way.free(place.prefix))) return true
  const eachVersion = deleteEach(place, versionsUnder(place), ({ version }) => version)
  if (await succeeds(eachVersion)) return true
  return succeeds(deleteEach(place, objectsUnder(place), () => undefined))
}

async function deleteEach(
  { client, bucket }: Place,
  pages: AsyncIterable<Page>,
  versionOf: (listed: Page['marks'][number]) => string | undefined,
): Promise<void> {
  for await (const { objects, marks } of pages) {
    for (const listed of [...objects, ...marks]) {
      const named = { Bucket: bucket, Key: listed.key, VersionId: versionOf(listed) }
      await client.send(new DeleteObjectCommand(named))
    }
  }
}

/** Answers whether it is gone: what still lies in it keeps it. */
export const deleteBucket = (client: S3Client, bucket: string): Promise<boolean> =>
  succeeds(client.send(new DeleteBucketCommand({ Bucket: bucket })))

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(() => true).catch(() => false)
