/** Lists a bucket page by page: all versions of all objects, or all objects if versioning is off. */
import { ListObjectsV2Command, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3'
import { PAGES_MAX, unquoted } from './client.ts'

/** One version of an object. It stays readable under its version id when a later version is uploaded. */
export type StoredObject = {
  readonly key: string
  readonly version: string
  readonly etag: string
  readonly bytes: number
  /** When the version was stored, by the clock of storage. */
  readonly storedAt: Date | undefined
}

export type Page = {
  /** The newest version of a key comes first. */
  readonly objects: readonly StoredObject[]
  /** Delete markers, which storage writes when a versioned object is deleted. */
  readonly deleteMarkers: readonly Pick<StoredObject, 'key' | 'version'>[]
}

/** S3's version id of an object in a bucket without versioning. */
export const NO_VERSION = 'null'

export type StorageLocation = {
  readonly client: S3Client
  readonly bucket: string
  readonly prefix: string
}

export async function* versionsUnder({ client, bucket, prefix }: StorageLocation): AsyncGenerator<Page> {
  let from = {}
  for (let page = 0; page < PAGES_MAX; page++) {
    const response = await client.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...from }))
    yield {
      objects: (response.Versions ?? []).map(toStored),
      deleteMarkers: (response.DeleteMarkers ?? []).map(toStored),
    }
    if (!response.IsTruncated) return
    from = { KeyMarker: response.NextKeyMarker, VersionIdMarker: response.NextVersionIdMarker }
  }
}

/** Lists objects of storage services that do not implement versioning. */
export async function* objectsUnder({ client, bucket, prefix }: StorageLocation): AsyncGenerator<Page> {
  let from = {}
  for (let page = 0; page < PAGES_MAX; page++) {
    const response = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...from }))
    yield { objects: (response.Contents ?? []).map(toStored), deleteMarkers: [] }
    if (!response.IsTruncated) return
    from = { ContinuationToken: response.NextContinuationToken }
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
