/** Creates and configures the buckets. Idempotent; changes no object. */
import {
  CreateBucketCommand,
  GetBucketLifecycleConfigurationCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketVersioningCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns'
import { undefinedIfNotFound } from '../availability.ts'
import { clientConfig, openClient, type StorageOptions } from '../client.ts'
import { allowUploadKey, type UploadKeyAccess } from './upload-key.ts'

export type SetupOptions = {
  /** Origins that may upload from browsers. */
  readonly origins: readonly string[]
  /** URL for notifications about new objects, including its secret; undefined for none. */
  readonly eventsUrl: string | undefined
}

/**
 * Storage deletes incomplete uploads after this many days. It is longer than any upload session: a session can be
 * renewed for seven days, and its lifetime and transfer time are settings of at most seven days each.
 */
const ABANDONED_PARTS_DAYS = 22

/** ID of the lifecycle rule that deletes incomplete uploads. */
const ABANDONED_PARTS = 'abandoned-parts'

/** How long browsers may cache the CORS preflight. */
const CORS_SECONDS = 3600

type Target = { readonly client: S3Client; readonly Bucket: string }

export async function setUpStorage(
  options: StorageOptions,
  { origins, eventsUrl }: SetupOptions,
  report: (line: string) => void,
): Promise<void> {
  const client = openClient(options.endpoint, options)
  const target = { client, Bucket: options.uploadsBucket }
  try {
    await createBucket(target)
    report(`bucket ${options.uploadsBucket}: exists`)
    await createBucket({ client, Bucket: options.mediaBucket })
    report(`bucket ${options.mediaBucket}: exists`)
    if (options.keepsVersions) await enableVersioning(target)
    report(
      options.keepsVersions
        ? 'versioning: enabled, so that a later upload never replaces an earlier one'
        : 'versioning: not changed, because STORAGE_VERSIONS is off; files are uploaded in parts',
    )
    const deletesParts =
      (await isSupported(dropParts(target))) && (await isSupported(dropParts({ client, Bucket: options.mediaBucket })))
    report(
      deletesParts
        ? `abandoned parts: deleted after ${ABANDONED_PARTS_DAYS} days`
        : 'abandoned parts: NOT deleted, because this storage does not support the rule; try its console',
    )
    const methods = options.supportsForms ? ['POST', 'PUT'] : ['PUT']
    const allowsBrowsers = await isSupported(setCorsRule(target, origins, methods))
    report(
      allowsBrowsers
        ? `browsers: may upload from ${origins.join(', ')}`
        : 'browsers: NOT allowed, because this storage does not support CORS rules; try its console',
    )
    report(uploadKeyReports[await allowUploadKey(options)](options.uploadsBucket))
    if (eventsUrl !== undefined) await sendEvents(target, await createTopic(options, eventsUrl))
    report(
      eventsUrl === undefined
        ? 'notifications: not set up, because STORAGE_EVENTS_URL is not set; uploads are found by polling'
        : `notifications: sent to ${new URL(eventsUrl).origin}`,
    )
  } finally {
    client.destroy()
  }
}

const uploadKeyReports: Record<UploadKeyAccess, (bucket: string) => string> = {
  'not set': () =>
    'upload key: NOT set, so the main key signs uploads; see "The upload key" in docs/operations/storage.md',
  'own policy': (bucket) => `upload key: not changed; its own policy must allow it only to put objects into ${bucket}`,
  'bucket policy': (bucket) => `upload key: may put objects into ${bucket}, by the policy of the bucket`,
}

/**
 * Creates the buckets for copies, without the settings for uploads. Returns whether storage deletes abandoned
 * parts in them; copies work without that.
 */
export async function createBuckets(options: StorageOptions): Promise<boolean> {
  const client = openClient(options.endpoint, options)
  let deletesParts = true
  try {
    for (const Bucket of [options.uploadsBucket, options.mediaBucket]) {
      await createBucket({ client, Bucket })
      deletesParts &&= await isApplied(dropParts({ client, Bucket }))
    }
    return deletesParts
  } finally {
    client.destroy()
  }
}

async function createBucket({ client, Bucket }: Target): Promise<void> {
  try {
    await client.send(new CreateBucketCommand({ Bucket }))
  } catch (error) {
    const exists = error instanceof S3ServiceException && error.name === 'BucketAlreadyOwnedByYou'
    if (!exists) throw error
  }
}

/** Returns false if storage does not support the bucket setting. Uploads work without it. */
const isSupported = (setting: Promise<void>) => succeedsUnless(setting, [501])

/** Like `isSupported`, and also false if the access key may not change settings. */
const isApplied = (setting: Promise<void>) => succeedsUnless(setting, [501, 403])

async function succeedsUnless(setting: Promise<void>, refusals: readonly number[]): Promise<boolean> {
  try {
    await setting
    return true
  } catch (error) {
    const status = error instanceof S3ServiceException && error.$metadata.httpStatusCode
    if (status && refusals.includes(status)) return false
    throw error
  }
}

async function enableVersioning({ client, Bucket }: Target): Promise<void> {
  const VersioningConfiguration = { Status: 'Enabled' } as const
  await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
}

/** Makes storage delete incomplete uploads. Keeps the bucket's other lifecycle rules. */
async function dropParts({ client, Bucket }: Target): Promise<void> {
  const request = client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
  const { Rules = [] } = (await undefinedIfNotFound(request)) ?? {}
  const others = Rules.filter(({ ID }) => ID !== ABANDONED_PARTS)
  const rule = {
    ID: ABANDONED_PARTS,
    Status: 'Enabled',
    Filter: { Prefix: '' },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: ABANDONED_PARTS_DAYS },
  } as const
  const LifecycleConfiguration = { Rules: [...others, rule] }
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }))
}

/** Allows POST for forms and PUT for parts; browsers must be able to read a part's ETag. */
async function setCorsRule(
  { client, Bucket }: Target,
  origins: readonly string[],
  methods: readonly string[],
): Promise<void> {
  const rule = {
    AllowedOrigins: [...origins],
    AllowedMethods: [...methods],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: CORS_SECONDS,
  }
  const CORSConfiguration = { CORSRules: [rule] }
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }))
}

/**
 * Creates a persistent topic: storage keeps an event until it is delivered. Otherwise the uploader would wait for the
 * delivery, and events would be lost while the service is unavailable.
 */
async function createTopic(options: StorageOptions, eventsUrl: string): Promise<string> {
  const { forcePathStyle: _, ...config } = clientConfig(options.endpoint, options)
  const client = new SNSClient(config)
  try {
    const { TopicArn } = await client.send(
      new CreateTopicCommand({
        Name: options.uploadsBucket,
        Attributes: { 'push-endpoint': eventsUrl, persistent: 'true' },
      }),
    )
    if (!TopicArn) throw new Error('Storage returned no topic ARN')
    return TopicArn
  } finally {
    client.destroy()
  }
}

async function sendEvents({ client, Bucket }: Target, TopicArn: string): Promise<void> {
  const topic = { Id: 'uploads', TopicArn, Events: ['s3:ObjectCreated:*' as const] }
  const NotificationConfiguration = { TopicConfigurations: [topic] }
  await client.send(new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration }))
}
