import type { Readable } from 'node:stream'
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { insteadOfBytes, unlessAbsent } from './availability.ts'
import { BucketObjects } from './bucket-objects.ts'
import { openWatchedClient, PAGES_MAX, type StorageOptions } from './client.ts'
import { assertPrefix, deleteObjects, PAGES_FREED_MAX } from './deletion.ts'

export type NewObject = {
  readonly key: string
  readonly body: Uint8Array | string
  readonly type: string
}

/** What is known of an object without reading it. The ETag is in quotes, as HTTP has it. */
export type ObjectHead = { readonly etag: string; readonly bytes: number }

export type ObjectWish = {
  /** As HTTP writes it: "bytes=0-99". Undefined for all of it. */
  readonly range: string | undefined
  /** Nothing is read if the object still is this. */
  readonly knownEtag: string | undefined
}

export type OpenObject =
  | {
      readonly kind: 'open'
      readonly etag: string
      /** In the body. */
      readonly bytes: number
      /** "bytes 0-99/1000", when less than all of it is read. */
      readonly contentRange: string | undefined
      readonly body: Readable
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'outside' }

/** Each viewer who is sent something holds one; those beyond wait for each other. */
const CONNECTIONS_MAX = 500

/** `start` is the first byte, `end` the first one no longer read. */
type HalfOpen = { readonly start: number; readonly end: number }

/** The bucket of what we make of uploaded files. A name in it is written once and never again. */
export class MediaBucket implements Disposable {
  readonly #bucket: string
  readonly #client: S3Client
  /** What lies in it, for whoever counts or copies it. */
  readonly objects: BucketObjects

  constructor(options: StorageOptions) {
    this.#bucket = options.mediaBucket
    this.#client = openWatchedClient(options.endpoint, options, CONNECTIONS_MAX)
    this.objects = new BucketObjects(this.#bucket, this.#client, false)
  }

  /** What is wrong with the bucket, as a sentence for the operator; undefined when nothing is. */
  async fault(): Promise<string | undefined> {
    const asked = this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }))
    const isThere = (await unlessAbsent(asked)) !== undefined
    return isThere ? undefined : `There is no bucket ${this.#bucket}. Run setup-storage.`
  }

  async put({ key, body, type }: NewObject, signal?: AbortSignal): Promise<void> {
    const object = { Bucket: this.#bucket, Key: key, Body: body, ContentType: type }
    await this.#client.send(new PutObjectCommand(object), signal && { abortSignal: signal })
  }

  /** Undefined if there is none. For what is small: all of it is held. */
  async findText(key: string): Promise<string | undefined> {
    const asked = this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }))
    return (await unlessAbsent(asked))?.Body?.transformToString('utf8')
  }

  /** What is small enough to be held: an object, or a range of it. */
  async read(
    key: string,
    { range, bytesMax }: { range: HalfOpen | undefined; bytesMax: number },
    signal: AbortSignal,
  ): Promise<Buffer> {
    const Range = range && `bytes=${range.start}-${range.end - 1}`
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key, Range })
    const { Body, ContentLength } = await this.#client.send(command, { abortSignal: signal })
    if (!Body || (ContentLength ?? 0) > bytesMax) throw new Error(`${key} is too large to be read`)
    return Buffer.from(await Body.transformToByteArray())
  }

  /** Undefined if there is no such object. */
  async head(key: string, signal: AbortSignal): Promise<ObjectHead | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: key })
    const found = await unlessAbsent(this.#client.send(command, { abortSignal: signal }))
    return found && { etag: found.ETag ?? '', bytes: found.ContentLength ?? 0 }
  }

  /** Its bytes come as they are read from the body, and no faster. Undefined if there is no such object. */
  async open(
    key: string,
    { range, knownEtag }: ObjectWish,
    signal: AbortSignal,
  ): Promise<OpenObject | undefined> {
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      Range: range,
      IfNoneMatch: knownEtag,
    })
    try {
      const found = await unlessAbsent(this.#client.send(command, { abortSignal: signal }))
      if (!found) return undefined
      return {
        kind: 'open',
        etag: found.ETag ?? '',
        bytes: found.ContentLength ?? 0,
        contentRange: found.ContentRange,
        body: found.Body as Readable,
      }
    } catch (error) {
      const kind = insteadOfBytes(error)
      if (kind) return { kind }
      throw error
    }
  }

  /** What there is directly under a prefix that ends with a slash: the prefixes one word longer. */
  async *prefixes(prefix: string): AsyncGenerator<string> {
    let from = {}
    for (let page = 0; page < PAGES_MAX; page++) {
      const answer = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: prefix,
          Delimiter: '/',
          ...from,
        }),
      )
      for (const { Prefix } of answer.CommonPrefixes ?? []) if (Prefix) yield Prefix
      if (!answer.IsTruncated) return
      from = { ContinuationToken: answer.NextContinuationToken }
    }
  }

  /**
   * Deletes every object under the prefix. Answers whether that was all: of very many, some are
   * left for another call.
   */
  async free(prefix: string): Promise<boolean> {
    assertPrefix(prefix)
    for (let round = 0; round < PAGES_FREED_MAX; round++) {
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
  }
}
