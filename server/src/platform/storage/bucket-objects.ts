import { createHash } from 'node:crypto'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { isUnknownVersion, unlessAbsent } from './availability.ts'
import { unquoted } from './etag.ts'
import { NO_VERSION } from './listing.ts'
import { PartsWriter } from './parts-writer.ts'

/** One object as lists have it. */
export type ListedObject = {
  readonly key: string
  readonly bytes: number
  readonly etag: string
  readonly storedAt: Date
}

/** One object, or the version of it that is named. */
export type ObjectName = { readonly key: string; readonly version?: string }

export type FoundObject = {
  readonly bytes: number
  /** Empty where it says nothing about the content, because storage has encrypted that. */
  readonly etag: string
  readonly type: string | undefined
}

/** `start` is the first byte, `end` the first one no longer read. */
type HalfOpen = { readonly start: number; readonly end: number }

/** Of a thousand entries each. Whoever has more is told, for a list that ends early says what is not true. */
const PAGES_LISTED_MAX = 100_000

/** The objects of a bucket as they look to whoever counts and copies them, whatever they are. */
export class BucketObjects {
  readonly #bucket: string
  readonly #client: S3Client
  readonly #keepsVersions: boolean

  constructor(bucket: string, client: S3Client, keepsVersions: boolean) {
    this.#bucket = bucket
    this.#client = client
    this.#keepsVersions = keepsVersions
  }

  /** Everything under the prefix, by name; of several versions of an object only the newest. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for await (const { Contents = [] } of this.#pages(prefix)) {
      for (const { Key = '', Size = 0, ETag = '', LastModified = new Date(0) } of Contents) {
        yield { key: Key, bytes: Size, etag: unquoted(ETag), storedAt: LastModified }
      }
    }
  }

  /** What there is directly under a prefix that ends with a slash, or in the bucket: the prefixes one word longer. */
  async *prefixes(prefix: string): AsyncGenerator<string> {
    for await (const { CommonPrefixes = [] } of this.#pages(prefix, '/')) {
      for (const { Prefix } of CommonPrefixes) if (Prefix) yield Prefix
    }
  }

  /**
   * Undefined if there is no such object, or no such version of it. In a bucket that keeps no
   * versions there is one object, whatever version is named.
   */
  async find(name: ObjectName, signal?: AbortSignal): Promise<FoundObject | undefined> {
    const wanted = this.#named(name)
    const asked = this.#client.send(new HeadObjectCommand(wanted), abortable(signal))
    const found = await unlessAbsent(asked).catch((error: unknown) => {
      // A version of another bucket, as rows have it before they are pinned here.
      if (!('VersionId' in wanted) || !isUnknownVersion(error)) throw error
    })
    if (!found) return undefined
    const { ContentLength = 0, ETag = '', ContentType, ServerSideEncryption = '' } = found
    const isHidden = ServerSideEncryption.startsWith('aws:kms')
    return { bytes: ContentLength, etag: isHidden ? '' : unquoted(ETag), type: ContentType }
  }

  /** All these bytes, no fewer; undefined if there is no such object. For what is small enough to be held. */
  async read(
    name: ObjectName,
    { start, end }: HalfOpen,
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
    // Of an empty object there is no range.
    const range = start === end ? {} : { Range: `bytes=${start}-${end - 1}` }
    const command = new GetObjectCommand({ ...this.#named(name), ...range })
    const found = await unlessAbsent(this.#client.send(command, abortable(signal)))
    if (!found) return undefined
    const body = Buffer.from((await found.Body?.transformToByteArray()) ?? [])
    if (body.byteLength !== end - start) {
      throw new Error(`Storage sent ${body.byteLength} bytes of ${name.key}, not ${end - start}`)
    }
    return body
  }

  /** Storage holds what arrives against the hash, and refuses what is not the same. */
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

  /** For what is too large to be held. */
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
      const answer = await this.#client.send(new ListObjectsV2Command({ ...wanted, ...from }))
      yield answer
      if (!answer.IsTruncated) return
      from = { ContinuationToken: answer.NextContinuationToken }
    }
    throw new Error(`More than ${PAGES_LISTED_MAX} pages under ${prefix || this.#bucket}`)
  }
}

const md5 = (body: Buffer) => createHash('md5').update(body).digest('base64')

const abortable = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {})
