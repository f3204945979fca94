import { createHash } from 'node:crypto'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { isUnknownVersion, undefinedIfNotFound } from './availability.ts'
import { unquoted } from './client.ts'
import { NO_VERSION } from './listing.ts'
import { PartsWriter } from './parts-writer.ts'

/** An entry of a listing. */
export type ListedObject = {
  readonly key: string
  readonly bytes: number
  readonly etag: string
  readonly storedAt: Date
}

/** An object, or one version of it. */
export type ObjectName = { readonly key: string; readonly version?: string }

export type FoundObject = {
  readonly bytes: number
  /** ETag of the object; empty if it is not a hash of the content, because storage encrypted the object with KMS. */
  readonly etag: string
  readonly type: string | undefined
}

/** Storage has sent less of an object than it should have. */
export class IncompleteObject extends Error {
  override readonly name = 'IncompleteObject'
}

/** Byte range: `start` is inclusive, `end` exclusive. */
type HalfOpen = { readonly start: number; readonly end: number }

/** Page limit (1,000 keys per page). Throws beyond it: a truncated listing would be wrong. */
const PAGES_LISTED_MAX = 100_000

/** Generic access to the objects of a bucket, for counting and copying them. */
export class BucketObjects {
  readonly #bucket: string
  readonly #client: S3Client
  readonly #keepsVersions: boolean

  constructor(bucket: string, client: S3Client, keepsVersions: boolean) {
    this.#bucket = bucket
    this.#client = client
    this.#keepsVersions = keepsVersions
  }

  /** All objects under the prefix in key order; only the newest version of each. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for await (const { Contents = [] } of this.#pages(prefix)) {
      for (const { Key = '', Size = 0, ETag = '', LastModified = new Date(0) } of Contents) {
        yield { key: Key, bytes: Size, etag: unquoted(ETag), storedAt: LastModified }
      }
    }
  }

  /** The common prefixes directly under `prefix`, which is empty or ends with a slash. */
  async *prefixes(prefix: string): AsyncGenerator<string> {
    for await (const { CommonPrefixes = [] } of this.#pages(prefix, '/')) {
      for (const { Prefix } of CommonPrefixes) if (Prefix) yield Prefix
    }
  }

  /**
   * Returns undefined if the object or the version does not exist. In a bucket without versioning the version is
   * ignored.
   */
  async find(name: ObjectName, signal?: AbortSignal): Promise<FoundObject | undefined> {
    const wanted = this.#named(name)
    const request = this.#client.send(new HeadObjectCommand(wanted), abortable(signal))
    const found = await undefinedIfNotFound(request).catch((error: unknown) => {
      // The version id may be that of another bucket, because rows contain it until they are relinked.
      if (!('VersionId' in wanted) || !isUnknownVersion(error)) throw error
    })
    if (!found) return undefined
    const { ContentLength = 0, ETag = '', ContentType, ServerSideEncryption = '' } = found
    const isKmsEncrypted = ServerSideEncryption.startsWith('aws:kms')
    return { bytes: ContentLength, etag: isKmsEncrypted ? '' : unquoted(ETag), type: ContentType }
  }

  /** Reads a range of an object into memory; throws if fewer bytes arrive. Undefined if there is no such object. */
  async read(name: ObjectName, { start, end }: HalfOpen, signal: AbortSignal): Promise<Buffer | undefined> {
    // An empty object has no valid range.
    const range = start === end ? {} : { Range: `bytes=${start}-${end - 1}` }
    const command = new GetObjectCommand({ ...this.#named(name), ...range })
    const found = await undefinedIfNotFound(this.#client.send(command, abortable(signal)))
    if (!found) return undefined
    const body = Buffer.from((await found.Body?.transformToByteArray()) ?? [])
    if (body.byteLength !== end - start) {
      throw new IncompleteObject(`Storage sent ${body.byteLength} bytes of ${name.key}, not ${end - start}`)
    }
    return body
  }

  /** Stores an object; storage verifies the MD5 hash. */
  async put(key: string, body: Buffer, type: string | undefined, signal: AbortSignal) {
    const command = new PutObjectCommand({
      ...this.#named({ key }),
      Body: body,
      ContentLength: body.byteLength,
      ContentMD5: md5(body),
      ContentType: type,
    })
    await this.#client.send(command, abortable(signal))
  }

  /** Stores an object that is too large for memory. */
  putInParts(key: string, type: string | undefined, signal: AbortSignal): Promise<PartsWriter> {
    return PartsWriter.open(this.#client, { Bucket: this.#bucket, Key: key }, type, signal)
  }

  #named({ key, version }: ObjectName) {
    const isVersion = this.#keepsVersions && version !== undefined && version !== NO_VERSION
    return { Bucket: this.#bucket, Key: key, ...(isVersion && { VersionId: version }) }
  }

  async *#pages(prefix: string, delimiter?: string): AsyncGenerator<ListObjectsV2CommandOutput> {
    const wanted = { Bucket: this.#bucket, Prefix: prefix, Delimiter: delimiter }
    let from = {}
    for (let page = 0; page < PAGES_LISTED_MAX; page++) {
      const response = await this.#client.send(new ListObjectsV2Command({ ...wanted, ...from }))
      yield response
      if (!response.IsTruncated) return
      from = { ContinuationToken: response.NextContinuationToken }
    }
    throw new Error(`More than ${PAGES_LISTED_MAX} listing pages under ${prefix || this.#bucket}`)
  }
}

const md5 = (body: Buffer) => createHash('md5').update(body).digest('base64')

const abortable = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {})
