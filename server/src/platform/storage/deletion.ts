import { DeleteObjectsCommand, type ObjectIdentifier, type S3Client } from '@aws-sdk/client-s3'

/** As many pages, of up to a thousand objects each, are freed by one call. */
export const PAGES_FREED_MAX = 20

/** At most a thousand: what storage takes in one request, and answers on one page of a list. */
export async function deleteObjects(
  client: S3Client,
  Bucket: string,
  Objects: ObjectIdentifier[],
): Promise<void> {
  if (Objects.length === 0) return
  const { Errors = [] } = await client.send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
  )
  const [fault] = Errors
  if (fault) throw new Error(`Storage did not delete ${fault.Key}: ${fault.Code}`)
}

export function assertPrefix(prefix: string): void {
  if (prefix === '') throw new Error('Refusing to free the whole bucket')
}
