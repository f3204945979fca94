/** Makes the buckets what the service needs them to be. Safe to run again; it changes no object. */
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
import { unlessAbsent } from './availability.ts'
import { clientConfig, openClient, type StorageOptions } from './client.ts'

export type SetupWish = {
  /** From where browsers may upload. */
  readonly origins: readonly string[]
  /** Where storage tells of new objects, with the secret in it; undefined: nowhere. */
  readonly eventsUrl: string | undefined
}

/**
 * Parts that are this old are deleted by storage itself. Longer than any session lives: it may be renewed for seven
 * days, and lifetime and transfer are settings of at most seven days each.
 */
const ABANDONED_PARTS_DAYS = 22

/** The name of the rule. */
const ABANDONED_PARTS = 'abandoned-parts'

/** How long a browser may remember that it is allowed to upload. */
const CORS_SECONDS = 3600

type Target = { readonly client: S3Client; readonly Bucket: string }

export async function setUpStorage(
  options: StorageOptions,
  { origins, eventsUrl }: SetupWish,
  report: (done: string) => void,
): Promise<void> {
  const client = openClient(options.endpoint, options)
  const target = { client, Bucket: options.uploadsBucket }
  try {
    await createBucket(target)
    report(`bucket ${options.uploadsBucket}: there`)
    await createBucket({ client, Bucket: options.mediaBucket })
    report(`bucket ${options.mediaBucket}: there`)
    if (options.keepsVersions) await keepVersions(target)
    report(
      options.keepsVersions
        ? 'versions: kept, so that a later upload never replaces an earlier one'
        : 'versions: not set up, since STORAGE_VERSIONS is off; files come in parts, which we join once',
    )
    const isDropping =
      (await isKnown(dropAbandonedParts(target))) &&
      (await isKnown(dropAbandonedParts({ client, Bucket: options.mediaBucket })))
    report(
      isDropping
        ? `abandoned parts: deleted after ${ABANDONED_PARTS_DAYS} days`
        : 'abandoned parts: NOT deleted, since this storage knows no such rule; see whether its console does',
    )
    const methods = options.takesForms ? ['POST', 'PUT'] : ['PUT']
    const isAllowing = await isKnown(allowBrowsers(target, origins, methods))
    report(
      isAllowing
        ? `browsers: may upload from ${origins.join(', ')}`
        : 'browsers: NOT allowed, since this storage knows no such rule; see whether its console does',
    )
    if (eventsUrl !== undefined) await sendEvents(target, await createTopic(options, eventsUrl))
    report(
      eventsUrl === undefined
        ? 'notifications: not set up, since STORAGE_EVENTS_URL is not set; uploads are found by looking'
        : `notifications: sent to ${new URL(eventsUrl).origin}`,
    )
  } finally {
    client.destroy()
  }
}

/**
 * Only the buckets, for whoever keeps copies in them: no browser uploads there. Answers whether
 * abandoned parts are deleted in them; copies are none the worse for it.
 */
export async function createBuckets(options: StorageOptions): Promise<boolean> {
  const client = openClient(options.endpoint, options)
  let isDropping = true
  try {
    for (const Bucket of [options.uploadsBucket, options.mediaBucket]) {
      await createBucket({ client, Bucket })
      isDropping &&= await isTaken(dropAbandonedParts({ client, Bucket }))
    }
    return isDropping
  } finally {
    client.destroy()
  }
}

async function createBucket({ client, Bucket }: Target): Promise<void> {
  try {
    await client.send(new CreateBucketCommand({ Bucket }))
  } catch (error) {
    const isThere = error instanceof S3ServiceException && error.name === 'BucketAlreadyOwnedByYou'
    if (!isThere) throw error
  }
}

/** Uploads go well without it, so a storage that has never heard of it may be used. */
const isKnown = (setting: Promise<void>) => isAnswered(setting, [501])

/** As that, also for a key that may write and not change settings. */
const isTaken = (setting: Promise<void>) => isAnswered(setting, [501, 403])

async function isAnswered(setting: Promise<void>, refusals: readonly number[]): Promise<boolean> {
  try {
    await setting
    return true
  } catch (error) {
    const status = error instanceof S3ServiceException && error.$metadata.httpStatusCode
    if (status && refusals.includes(status)) return false
    throw error
  }
}

async function keepVersions({ client, Bucket }: Target): Promise<void> {
  const VersioningConfiguration = { Status: 'Enabled' } as const
  await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
}

/** Beside the rules that somebody else has made for the bucket. */
async function dropAbandonedParts({ client, Bucket }: Target): Promise<void> {
  const asked = client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
  const { Rules = [] } = (await unlessAbsent(asked)) ?? {}
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

/** A form is posted and parts are put; what a browser must read of the answer is a part's ETag. */
async function allowBrowsers(
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
 * Persistent: storage keeps an event until it is taken. Otherwise the uploader would wait for us, and an
 * event that finds us away would be lost.
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
    if (!TopicArn) throw new Error('Storage made a topic without a name')
    return TopicArn
  } finally {
    client.destroy()
  }
}

async function sendEvents({ client, Bucket }: Target, TopicArn: string): Promise<void> {
  const topic = { Id: 'uploads', TopicArn, Events: ['s3:ObjectCreated:*' as const] }
  const NotificationConfiguration = { TopicConfigurations: [topic] }
  await client.send(
    new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration }),
  )
}
