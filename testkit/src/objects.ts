import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { StackEnv } from './stack.ts'

export type StoredVersion = { readonly key: string; readonly version: string }

/** What really lies in a bucket, seen past the service. */
export class Objects implements Disposable {
  readonly client: S3Client
  readonly #bucket: string

  constructor(env: StackEnv, bucket: string) {
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

  [Symbol.dispose](): void {
    this.client.destroy()
  }
}
