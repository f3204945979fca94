/** Deletes everything that the checks wrote, even if the storage does not support every way of deleting. */
import { DeleteBucketCommand, DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { objectsUnder, type Page, type StorageLocation, versionsUnder } from '../../platform/storage/listing.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'

/** `strategies` are the uploads bucket opened with versioning and opened without it. */
type Cleanup = StorageLocation & { readonly strategies: readonly UploadsBucket[] }

/** Tries bulk deletion, then deletes objects one by one. Returns whether everything was deleted. */
export async function cleanUp({ strategies, ...location }: Cleanup): Promise<boolean> {
  for (const strategy of strategies) if (await succeeds(strategy.deleteAll(location.prefix))) return true
  const eachVersion = deleteEach(location, versionsUnder(location), ({ version }) => version)
  if (await succeeds(eachVersion)) return true
  return succeeds(deleteEach(location, objectsUnder(location), () => undefined))
}

async function deleteEach(
  { client, bucket }: StorageLocation,
  pages: AsyncIterable<Page>,
  versionOf: (listed: Page['deleteMarkers'][number]) => string | undefined,
): Promise<void> {
  for await (const { objects, deleteMarkers } of pages) {
    for (const listed of [...objects, ...deleteMarkers]) {
      const named = { Bucket: bucket, Key: listed.key, VersionId: versionOf(listed) }
      await client.send(new DeleteObjectCommand(named))
    }
  }
}

/** Deletes the bucket, which must be empty. Returns whether it was deleted. */
export const deleteBucket = (client: S3Client, bucket: string): Promise<boolean> =>
  succeeds(client.send(new DeleteBucketCommand({ Bucket: bucket })))

const succeeds = (work: Promise<unknown>): Promise<boolean> => work.then(() => true).catch(() => false)
