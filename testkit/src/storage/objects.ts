import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { StackEnv } from '../processes/stack.ts'

/** URL and credentials of the storage. */
type StorageAddress = Pick<StackEnv, 'STORAGE_ENDPOINT' | 'STORAGE_ACCESS_KEY_ID' | 'STORAGE_SECRET_ACCESS_KEY'>

export type StoredVersion = { readonly key: string; readonly version: string }

/** Direct access to the contents of a bucket, without the service. */
export class Objects implements Disposable {
  readonly client: S3Client
  readonly #bucket: string

  constructor(env: StorageAddress, bucket: string) {
    this.#bucket = bucket
    this.client = new S3Client({
      endpoint: env.STORAGE_ENDPOINT,
      region: 'us-east-1',
      forcePathStyle: true,
      // Many attempts, because tests may make storage unavailable for a while.
      maxAttempts: 10,
      credentials: {
        accessKeyId: env.STORAGE_ACCESS_KEY_ID,
        secretAccessKey: env.STORAGE_SECRET_ACCESS_KEY,
      },
    })
  }

  /** Every object version and delete marker under the prefix; at most 1,000. */
  async versions(prefix: string): Promise<StoredVersion[]> {
    const command = new ListObjectVersionsCommand({ Bucket: this.#bucket, Prefix: prefix })
    const { Versions = [], DeleteMarkers = [], IsTruncated } = await this.client.send(command)
    if (IsTruncated) throw new Error(`More than 1,000 versions under ${prefix}`)
    return [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId = '' }) => ({
      key: Key,
      version: VersionId,
    }))
  }

  /** IDs of multipart uploads under the prefix that are neither completed nor aborted. */
  async unfinished(prefix: string): Promise<string[]> {
    const command = new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: prefix })
    const { Uploads = [], IsTruncated } = await this.client.send(command)
    if (IsTruncated) throw new Error(`More than 1,000 uploads under ${prefix}`)
    return Uploads.map(({ UploadId = '' }) => UploadId)
  }

  async read({ key, version }: StoredVersion): Promise<Buffer> {
    const { Body } = await this.client.send(
      new GetObjectCommand({ Bucket: this.#bucket, Key: key, VersionId: version }),
    )
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }

  async put(key: string, body: string | Uint8Array): Promise<StoredVersion> {
    const { VersionId = '' } = await this.client.send(
      new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: body }),
    )
    return { key, version: VersionId }
  }

  async delete({ key, version }: StoredVersion): Promise<void> {
    await this.client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key, VersionId: version }))
  }

  /** The newest content of the key as text; undefined if there is none. */
  async find(key: string): Promise<string | undefined> {
    try {
      const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key })
      return await (await this.client.send(command)).Body?.transformToString()
    } catch (error) {
      const isAbsent = error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404
      if (isAbsent) return undefined
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.client.destroy()
  }
}
