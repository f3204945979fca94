import { DeleteObjectsCommand, type ObjectIdentifier, type S3Client } from '@aws-sdk/client-s3'

/** Maximum number of pages that one call deletes, with up to 1,000 objects each. */
export const PAGES_DELETED_MAX = 20

/** Deletes at most 1,000 objects, the limit of one request. */
export async function deleteObjects(client: S3Client, Bucket: string, Objects: ObjectIdentifier[]): Promise<void> {
  if (Objects.length === 0) return
  const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
  const [error] = Errors
  if (error) throw new Error(`Storage did not delete ${error.Key}: ${error.Code}`)
}

export function assertPrefix(prefix: string): void {
  if (prefix === '') throw new Error('Refusing to delete the whole bucket')
}
