/**
 * What lies in the uploads bucket, page by page: every version of every object, or every object
 * where there are no versions.
 */
import { ListObjectsV2Command, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3'
import { PAGES_MAX } from './client.ts'
import { unquoted } from './etag.ts'

/** One version of one object: what was there stays readable under it, whatever is posted later. */
export type StoredObject = {
  readonly key: string
  readonly version: string
  readonly etag: string
  readonly bytes: number
  /** When it was there, by storage's clock. */
  readonly storedAt: Date | undefined
}

export type Page = {
  /** Of one key the newest version comes first. */
  readonly objects: readonly StoredObject[]
  /** Where an object was deleted and its versions were kept, storage keeps a mark. */
  readonly marks: readonly Pick<StoredObject, 'key' | 'version'>[]
}

/** What S3 calls the version of an object in a bucket that keeps none. */
export const NO_VERSION = 'null'

export type Place = { readonly client: S3Client; readonly bucket: string; readonly prefix: string }

export async function* versionsUnder({ client, bucket, prefix }: Place): AsyncGenerator<Page> {
  let from = {}
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...from }),
    )
    yield {
      objects: (answer.Versions ?? []).map(toStored),
      marks: (answer.DeleteMarkers ?? []).map(toStored),
    }
    if (!answer.IsTruncated) return
    from = { KeyMarker: answer.NextKeyMarker, VersionIdMarker: answer.NextVersionIdMarker }
  }
}

/** For storages that do not even know the question about versions. */
export async function* objectsUnder({ client, bucket, prefix }: Place): AsyncGenerator<Page> {
  let from = {}
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...from }),
    )
    yield { objects: (answer.Contents ?? []).map(toStored), marks: [] }
    if (!answer.IsTruncated) return
    from = { ContinuationToken: answer.NextContinuationToken }
  }
}

type Listed = {
  readonly Key?: string | undefined
  readonly VersionId?: string | undefined
  readonly ETag?: string | undefined
  readonly Size?: number | undefined
  readonly LastModified?: Date | undefined
}

function toStored(listed: Listed): StoredObject {
  const { Key = '', VersionId = NO_VERSION, ETag = '', Size = 0, LastModified } = listed
  return { key: Key, version: VersionId, etag: unquoted(ETag), bytes: Size, storedAt: LastModified }
}
