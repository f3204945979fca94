import {
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { unlessAbsent } from './availability.ts'
import { openClient, PAGES_MAX, type StorageOptions } from './client.ts'
import { assertPrefix, deleteObjects, PAGES_FREED_MAX } from './deletion.ts'

export type NewObject = {
  readonly key: string
  readonly body: Uint8Array | string
  readonly type: string
}

/** The bucket of what we make of uploaded files. A name in it is written once and never again. */
export class MediaBucket implements Disposable {
  readonly #bucket: string
  readonly #client: S3Client

  constructor(options: StorageOptions) {
    this.#bucket = options.mediaBucket
    this.#client = openClient(options.endpoint, options)
  }

  /** What is wrong with the bucket, as a sentence for the operator; undefined when nothing is. */
  async fault(): Promise<string | undefined> {
    const asked = this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }))
    const isThere = (await unlessAbsent(asked)) !== undefined
    return isThere ? undefined : `There is no bucket ${this.#bucket}. Run setup-storage.`
  }

  async put({ key, body, type }: NewObject, signal: AbortSignal): Promise<void> {
    const object = { Bucket: this.#bucket, Key: key, Body: body, ContentType: type }
    await this.#client.send(new PutObjectCommand(object), { abortSignal: signal })
  }

  /** The whole of an object that is small enough to be held. */
  async read(key: string, bytesMax: number, signal: AbortSignal): Promise<Buffer> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key })
    const { Body, ContentLength } = await this.#client.send(command, { abortSignal: signal })
    if (!Body || (ContentLength ?? 0) > bytesMax) throw new Error(`${key} is too large to be read`)
    return Buffer.from(await Body.transformToByteArray())
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

  /** Deletes every object under the prefix. Answers whether that was all: of very many, some are left for another call. */
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
