import { createHash } from 'node:crypto'
import { IncompleteObject } from '../../platform/storage/bucket-objects.ts'
import type { MediaBucket, PutResult } from '../../platform/storage/media-bucket.ts'

/** Reads a file. Undefined if the bucket does not have it, or has other content. */
export async function readIntact(
  bucket: MediaBucket | undefined,
  prefix: string,
  { name, bytes, md5 }: PutResult & { readonly name: string },
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const key = `${prefix}${name}`
  const found = await bucket?.objects.find({ key }, signal)
  if (!bucket || found?.bytes !== bytes) return undefined
  const body = await bucket.objects.read({ key }, { start: 0, end: bytes }, signal).catch((error: unknown) => {
    if (!(error instanceof IncompleteObject)) throw error
  })
  return body && createHash('md5').update(body).digest().equals(md5) ? body : undefined
}
