/** What storage says about the settings of our buckets: what `setup.ts` has set, read again. */
import {
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns'
import { clientConfig, openClient, type StorageOptions } from './client.ts'
import { originsThatMay } from './upload-origins.rules.ts'

type Bucket = 'uploads' | 'media'

/** Who has more of them on one bucket does not learn of the rest. */
const TOPICS_MAX = 10

export class BucketSettings implements Disposable {
  readonly #options: StorageOptions
  readonly #client: S3Client

  constructor(options: StorageOptions) {
    this.#options = options
    this.#client = openClient(options.endpoint, options)
  }

  /** Fails if storage is away or refuses the key. */
  async greet(abortSignal: AbortSignal): Promise<void> {
    await this.#client.send(new ListBucketsCommand({}), { abortSignal }).catch(allowDenied)
  }

  nameOf(bucket: Bucket): string {
    return bucket === 'uploads' ? this.#options.uploadsBucket : this.#options.mediaBucket
  }

  async exists(bucket: Bucket, abortSignal: AbortSignal): Promise<boolean> {
    const command = new HeadBucketCommand({ Bucket: this.nameOf(bucket) })
    const asked = this.#client.send(command, { abortSignal })
    return (await unlessUnset(asked)) !== undefined
  }

  /** As it is, and as it is meant to be. */
  async versions(abortSignal: AbortSignal): Promise<{ isKept: boolean; isWanted: boolean }> {
    const isWanted = this.#options.keepsVersions
    const asked = this.#client.send(new GetBucketVersioningCommand(this.#uploads), { abortSignal })
    const answer = await (isWanted ? asked : asked.catch(unlessUnknown))
    return { isKept: answer?.Status === 'Enabled', isWanted }
  }

  async dropsAbandonedParts(bucket: Bucket, abortSignal: AbortSignal): Promise<boolean> {
    const command = new GetBucketLifecycleConfigurationCommand({ Bucket: this.nameOf(bucket) })
    const asked = this.#client.send(command, { abortSignal })
    const { Rules = [] } = (await unlessUnset(asked)) ?? {}
    return Rules.some(
      ({ Status, AbortIncompleteMultipartUpload: rule }) => Status === 'Enabled' && rule,
    )
  }

  /** Browsers post forms, if those are taken, and put parts. */
  get uploadMethods(): readonly string[] {
    return this.#options.takesForms ? ['POST', 'PUT'] : ['PUT']
  }

  /** From which origins browsers may do so. */
  async uploadOrigins(abortSignal: AbortSignal): Promise<string[]> {
    const asked = this.#client.send(new GetBucketCorsCommand(this.#uploads), { abortSignal })
    const { CORSRules = [] } = (await unlessUnset(asked)) ?? {}
    return originsThatMay(this.uploadMethods, CORSRules)
  }

  /** Where new objects are told of, secret and all: others than we may want to know of them, too. */
  async eventsAddresses(abortSignal: AbortSignal): Promise<string[]> {
    const command = new GetBucketNotificationConfigurationCommand(this.#uploads)
    const { TopicConfigurations = [] } = await this.#client.send(command, { abortSignal })
    const topics = TopicConfigurations.filter(({ Events = [] }) =>
      Events.some((event) => event.startsWith('s3:ObjectCreated:')),
    ).flatMap(({ TopicArn }) => TopicArn ?? [])
    const asked = topics.slice(0, TOPICS_MAX).map((topic) => this.#addressOf(topic, abortSignal))
    return (await Promise.all(asked)).filter((address) => address !== undefined)
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
  }

  get #uploads() {
    return { Bucket: this.nameOf('uploads') }
  }

  async #addressOf(TopicArn: string, abortSignal: AbortSignal): Promise<string | undefined> {
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

/** Undefined for a bucket, or a setting of it, that is not there: storage answers both with 404. */
async function unlessUnset<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404)
      return undefined
    throw error
  }
}

/** Some storages know neither versions nor the question. */
function unlessUnknown(error: Error): undefined {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  if (status !== 501) throw error
}

/** A key that may use two buckets and no other need not be allowed to list them; it is known all the same. */
function allowDenied(error: Error): void {
  if (error.name !== 'AccessDenied') throw error
}
