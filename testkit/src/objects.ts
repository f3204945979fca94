import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { StackEnv } from './stack.ts'

/** Where storage is, and as whom it is entered. */
type StorageAddress = Pick<
  StackEnv,
  'STORAGE_ENDPOINT' | 'STORAGE_ACCESS_KEY_ID' | 'STORAGE_SECRET_ACCESS_KEY'
>

export type StoredVersion = { readonly key: string; readonly version: string }

/** What really lies in a bucket, seen past the service. */
export class Objects implements Disposable {
  readonly client: S3Client
  readonly #bucket: string

  constructor(env: StorageAddress, bucket: string) {
    this.#bucket = bucket
    this.client = new S3Client({
      endpoint: env.STORAGE_ENDPOINT,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: {
        accessKeyId: env.STORAGE_ACCESS_KEY_ID,
        secretAccessKey: env.STORAGE_SECRET_ACCESS_KEY,
      },
    })
  }

  /** Every version of every object under the prefix, and every mark of a deletion; at most a thousand. */
  async versions(prefix: string): Promise<StoredVersion[]> {
    const command = new ListObjectVersionsCommand({ Bucket: this.#bucket, Prefix: prefix })
    const { Versions = [], DeleteMarkers = [], IsTruncated } = await this.client.send(command)
    if (IsTruncated) throw new Error(`More under ${prefix} than a test looks at`)
    return [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId = '' }) => ({
      key: Key,
      version: VersionId,
    }))
  }

  /** Uploads in parts under the prefix that are neither joined nor given up, by storage's name for them. */
  async unfinished(prefix: string): Promise<string[]> {
    const command = new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: prefix })
    const { Uploads = [], IsTruncated } = await this.client.send(command)
    if (IsTruncated) throw new Error(`More under ${prefix} than a test looks at`)
    return Uploads.map(({ UploadId = '' }) => UploadId)
  }

  async read({ key, version }: StoredVersion): Promise<Buffer> {
    const { Body } = await this.client.send(
      new GetObjectCommand({ Bucket: this.#bucket, Key: key, VersionId: version }),
    )
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }

  /** The newest text of the key; undefined if there is none. */
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
