import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { responseWithoutBody, undefinedIfNotFound } from './availability.ts'
import { BucketObjects } from './bucket-objects.ts'
import { openInstrumentedClient, type StorageOptions } from './client.ts'
import { assertPrefix, deleteObjects, PAGES_DELETED_MAX } from './deletion.ts'
import { ObjectReader, type ReadOptions } from './reading/object-reader.ts'

export type NewObject = {
  readonly key: string
  readonly body: Uint8Array | string
  readonly type: string
}

/** Size and MD5 hash of the bytes that were sent to storage. */
export type PutResult = { readonly bytes: number; readonly md5: Buffer }

/** Metadata of an object. The ETag is quoted, as in the HTTP header. */
export type ObjectHead = { readonly etag: string; readonly bytes: number }

export type OpenObject =
  | {
      readonly kind: 'open'
      readonly etag: string
      /** Length of the body. */
      readonly bytes: number
      /** Content-Range of the response, such as "bytes 0-99/1000"; undefined for the whole object. */
      readonly contentRange: string | undefined
      readonly body: Readable
      /** Reads the body into memory, instead of streaming it. */
      readAll(): Promise<Uint8Array>
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'outside' }

/** Maximum number of connections. Each response to a viewer uses one; further requests wait for a free one. */
const CONNECTIONS_MAX = 500

const md5Form = /^[0-9a-f]{32}$/

/** Byte range: `start` is inclusive, `end` exclusive. */
type HalfOpen = { readonly start: number; readonly end: number }

/** The bucket of processed media. Each key is written once. */
export class MediaBucket implements Disposable {
  readonly #bucket: string
  readonly #client: S3Client
  readonly #reader: ObjectReader
  /** Generic access for counting and copying objects. */
  readonly objects: BucketObjects

  constructor(options: StorageOptions) {
    this.#bucket = options.mediaBucket
    this.#client = openInstrumentedClient(options.endpoint, options, CONNECTIONS_MAX)
    this.#reader = new ObjectReader(options, options.mediaBucket, CONNECTIONS_MAX)
    this.objects = new BucketObjects(this.#bucket, this.#client, false)
  }

  /** Returns a message for the operator if the bucket is missing. */
  async configurationError(): Promise<string | undefined> {
    const request = this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }))
    const exists = (await undefinedIfNotFound(request)) !== undefined
    return exists ? undefined : `The bucket ${this.#bucket} does not exist. Run setup-storage.`
  }

  /** Stores an object; storage rejects bytes that do not match the MD5 hash. */
  async put({ key, body, type }: NewObject, signal?: AbortSignal): Promise<PutResult> {
    const md5 = createHash('md5').update(body).digest()
    const object = { Bucket: this.#bucket, Key: key, Body: body, ContentType: type, ContentMD5: md5.toString('base64') }
    await this.#client.send(new PutObjectCommand(object), signal && { abortSignal: signal })
    return { bytes: Buffer.byteLength(body), md5 }
  }

  /**
   * Throws if storage does not have the object that was put, or has another one under its key. An ETag that is
   * not an MD5 hash, because storage encrypts the objects, is not compared.
   */
  async verify(key: string, { bytes, md5 }: PutResult, signal?: AbortSignal): Promise<void> {
    const found = await this.objects.find({ key }, signal)
    const hasHash = found !== undefined && md5Form.test(found.etag)
    if (found?.bytes === bytes && (!hasHash || found.etag === md5.toString('hex'))) return
    const state = found ? `${found.bytes} bytes with the ETag ${found.etag}` : 'nothing'
    throw new Error(`Storage has ${state} under ${key}, not the ${bytes} bytes that were stored`)
  }

  /** Stores an object and verifies it. */
  async putVerified(object: NewObject, signal?: AbortSignal): Promise<PutResult> {
    const stored = await this.put(object, signal)
    await this.verify(object.key, stored, signal)
    return stored
  }

  /** Reads a small object into memory. Undefined if it does not exist. */
  async findText(key: string): Promise<string | undefined> {
    const request = this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }))
    return (await undefinedIfNotFound(request))?.Body?.transformToString('utf8')
  }

  /** Reads a small object, or a range of one, into memory. */
  async read(
    key: string,
    { range, bytesMax }: { range: HalfOpen | undefined; bytesMax: number },
    signal: AbortSignal,
  ): Promise<Buffer> {
    const Range = range && `bytes=${range.start}-${range.end - 1}`
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key, Range })
    const { Body, ContentLength } = await this.#client.send(command, { abortSignal: signal })
    if (!Body || (ContentLength ?? 0) > bytesMax) throw new Error(`${key} is too large to read into memory`)
    return Buffer.from(await Body.transformToByteArray())
  }

  /** Returns the metadata of an object; undefined if it does not exist. */
  async head(key: string, signal: AbortSignal): Promise<ObjectHead | undefined> {
    const found = await undefinedIfNotFound(this.#reader.head(key, signal))
    return found && { etag: found.etag, bytes: found.bytes }
  }

  /** Streams the object with backpressure. Undefined if there is no such object. */
  async open(key: string, options: ReadOptions, signal: AbortSignal): Promise<OpenObject | undefined> {
    try {
      const found = await undefinedIfNotFound(this.#reader.get(key, options, signal))
      return found && { kind: 'open', ...found }
    } catch (error) {
      const kind = responseWithoutBody(error)
      if (kind) return { kind }
      throw error
    }
  }

  /** Deletes the objects under the prefix. Returns false if some are left because there were too many for one call. */
  async deleteAll(prefix: string): Promise<boolean> {
    assertPrefix(prefix)
    for (let round = 0; round < PAGES_DELETED_MAX; round++) {
      const { Contents = [] } = await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: prefix }),
      )
      if (Contents.length === 0) return true
      await deleteObjects(
        this.#client,
        this.#bucket,
        Contents.map(({ Key = '' }) => ({ Key })),
      )
    }
    return false
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
    this.#reader.close()
  }
}
