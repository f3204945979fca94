/** Reads the bucket settings that `setup.ts` writes, and tries the rights of the upload key. */
import {
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns'
import { clientConfig, openClient, type StorageOptions, withUploadKey } from '../client.ts'
import { originsAllowing } from './upload-origins.rules.ts'

type Bucket = 'uploads' | 'media'

/** Key of the object that tests whether the upload key may put objects. No upload has such a key. */
const TEST_OBJECT = 'doctor-upload-key'

/** Permissions of the upload key in the uploads bucket. */
export type UploadKeyRights = { readonly reads: boolean; readonly puts: boolean }

/** Maximum number of notification topics to read; further topics of a bucket are ignored. */
const TOPICS_MAX = 10

export class BucketSettings implements Disposable {
  readonly #options: StorageOptions
  readonly #client: S3Client

  constructor(options: StorageOptions) {
    this.#options = options
    this.#client = openClient(options.endpoint, options)
  }

  /** Throws if storage is unavailable or refuses the access key. */
  async ping(abortSignal: AbortSignal): Promise<void> {
    await this.#client.send(new ListBucketsCommand({}), { abortSignal }).catch(ignoreAccessDenied)
  }

  nameOf(bucket: Bucket): string {
    return bucket === 'uploads' ? this.#options.uploadsBucket : this.#options.mediaBucket
  }

  async exists(bucket: Bucket, abortSignal: AbortSignal): Promise<boolean> {
    const command = new HeadBucketCommand({ Bucket: this.nameOf(bucket) })
    const request = this.#client.send(command, { abortSignal })
    return (await undefinedIfUnset(request)) !== undefined
  }

  /** The rights of the upload key; undefined if no upload key is set. Throws if storage refuses the key itself. */
  async uploadKeyRights(abortSignal: AbortSignal): Promise<UploadKeyRights | undefined> {
    if (this.#options.uploadKey === undefined) return undefined
    const client = openClient(this.#options.endpoint, withUploadKey(this.#options))
    try {
      return { reads: await this.#mayRead(client, abortSignal), puts: await this.#mayPut(client, abortSignal) }
    } finally {
      client.destroy()
    }
  }

  async #mayRead(client: S3Client, abortSignal: AbortSignal): Promise<boolean> {
    try {
      // A key that may not read gets the same response for every object.
      await client.send(new GetObjectCommand({ ...this.#uploads, Key: 'no-such-object' }), { abortSignal })
      return true
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return true
      ignoreAccessDenied(error as Error)
      return false
    }
  }

  /** Puts an object, and deletes this version of it with the main key. */
  async #mayPut(client: S3Client, abortSignal: AbortSignal): Promise<boolean> {
    const object = { ...this.#uploads, Key: TEST_OBJECT }
    const put = client.send(new PutObjectCommand({ ...object, Body: 'test' }), { abortSignal })
    const stored = await put.catch(ignoreAccessDenied)
    if (!stored) return false
    await this.#client.send(new DeleteObjectCommand({ ...object, VersionId: stored.VersionId }), { abortSignal })
    return true
  }

  /** Whether versioning is enabled, and whether the settings require it. */
  async versions(abortSignal: AbortSignal): Promise<{ isEnabled: boolean; isRequired: boolean }> {
    const isRequired = this.#options.keepsVersions
    const request = this.#client.send(new GetBucketVersioningCommand(this.#uploads), {
      abortSignal,
    })
    const response = await (isRequired ? request : request.catch(undefinedIfNotImplemented))
    return { isEnabled: response?.Status === 'Enabled', isRequired }
  }

  async deletesAbandonedParts(bucket: Bucket, abortSignal: AbortSignal): Promise<boolean> {
    const command = new GetBucketLifecycleConfigurationCommand({ Bucket: this.nameOf(bucket) })
    const request = this.#client.send(command, { abortSignal })
    const { Rules = [] } = (await undefinedIfUnset(request)) ?? {}
    return Rules.some(({ Status, AbortIncompleteMultipartUpload: rule }) => Status === 'Enabled' && rule)
  }

  /** HTTP methods of browser uploads: POST for forms, PUT for parts. */
  get uploadMethods(): readonly string[] {
    return this.#options.supportsForms ? ['POST', 'PUT'] : ['PUT']
  }

  /** Origins that the CORS rules allow to upload. */
  async uploadOrigins(abortSignal: AbortSignal): Promise<string[]> {
    const request = this.#client.send(new GetBucketCorsCommand(this.#uploads), { abortSignal })
    const { CORSRules = [] } = (await undefinedIfUnset(request)) ?? {}
    return originsAllowing(this.uploadMethods, CORSRules)
  }

  /** Notification URLs for new objects, including the secret in them. Other services may have their own. */
  async notificationUrls(abortSignal: AbortSignal): Promise<string[]> {
    const command = new GetBucketNotificationConfigurationCommand(this.#uploads)
    const { TopicConfigurations = [] } = await this.#client.send(command, { abortSignal })
    const topics = TopicConfigurations.filter(({ Events = [] }) =>
      Events.some((event) => event.startsWith('s3:ObjectCreated:')),
    ).flatMap(({ TopicArn }) => TopicArn ?? [])
    const requests = topics.slice(0, TOPICS_MAX).map((topic) => this.#urlOf(topic, abortSignal))
    return (await Promise.all(requests)).filter((url) => url !== undefined)
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
  }

  get #uploads() {
    return { Bucket: this.nameOf('uploads') }
  }

  async #urlOf(TopicArn: string, abortSignal: AbortSignal): Promise<string | undefined> {
    const { forcePathStyle: _, ...config } = clientConfig(this.#options.endpoint, this.#options)
    const client = new SNSClient(config)
    try {
      const command = new GetTopicAttributesCommand({ TopicArn })
      const { Attributes } = await client.send(command, { abortSignal })
      const { EndpointAddress } = JSON.parse(Attributes?.['EndPoint'] ?? '{}')
      return EndpointAddress
    } finally {
      client.destroy()
    }
  }
}

/** Returns undefined if the bucket or the setting does not exist: storage responds with 404 in both cases. */
async function undefinedIfUnset<Value>(request: Promise<Value>): Promise<Value | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined
    throw error
  }
}

/** Returns undefined for storage services that do not implement versioning. */
function undefinedIfNotImplemented(error: Error): undefined {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  if (status !== 501) throw error
}

/** Ignores a denied request: a valid key with access to two buckets need not be allowed to list all buckets. */
function ignoreAccessDenied(error: Error): void {
  if (error.name !== 'AccessDenied') throw error
}
