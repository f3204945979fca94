/** Optional features: CORS for browsers, notifications, and deletion of abandoned parts. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { CreateTopicCommand, DeleteTopicCommand, SNSClient } from '@aws-sdk/client-sns'
import { clientConfig } from '../../platform/storage/client.ts'
import { readRadosgwEvents } from '../../platform/storage/notification-message.ts'
import { assertBehavior, type CheckContext, type CompatibilityCheck } from './compatibility-check.ts'

const ORIGIN = 'https://check.reelkeep.example'

const POLL_SECONDS = 1

/** Whether the CORS preflight allows the method to the origin. */
async function isOriginAllowed({ options }: CheckContext, key: string, method: string, origin: string) {
  const url = `${options.publicEndpoint}/${options.uploadsBucket}${key && `/${key}`}`
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'content-type',
  }
  const response = await fetch(url, { method: 'OPTIONS', headers })
  await response.body?.cancel()
  const allowed = response.headers.get('access-control-allow-origin') ?? ''
  return response.status < 300 && [origin, '*'].includes(allowed)
}

/** Polls until the condition is true; false after the time limit. */
async function eventually(condition: () => Promise<boolean>, secondsMax: number): Promise<boolean> {
  const end = performance.now() + secondsMax * 1000
  while (!(await condition())) {
    if (performance.now() > end) return false
    await sleep(POLL_SECONDS * 1000)
  }
  return true
}

/** Forms are posted to the bucket's URL, parts are put to the object's URL. */
const cors = (name: string, method: 'POST' | 'PUT', needs: string): CompatibilityCheck => ({
  name,
  requirement: 'optional',
  needs,
  hint: 'Browsers cannot upload; SDK and CLI can. Set the CORS rule in the storage console (PUT and POST from UPLOAD_ORIGINS, ETag exposed), or answer OPTIONS in a proxy in front of storage.',
  run: async (context) => {
    const { client, options, newKey, propagationSecondsMax } = context
    const rule = {
      AllowedOrigins: [ORIGIN],
      AllowedMethods: ['PUT', 'POST'],
      AllowedHeaders: ['*'],
      ExposeHeaders: ['ETag'],
    }
    const CORSConfiguration = { CORSRules: [rule] }
    const Bucket = options.uploadsBucket
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }))
    const key = method === 'PUT' ? newKey('cors') : ''
    const isAllowed = await eventually(() => isOriginAllowed(context, key, method, ORIGIN), propagationSecondsMax)
    assertBehavior(isAllowed, `An origin with a CORS rule may not ${method}.`)
    const isOpen = await isOriginAllowed(context, key, method, 'https://other.example')
    assertBehavior(!isOpen, `An origin without a CORS rule may ${method}.`)
    return `Only origins with a CORS rule may ${method}.`
  },
})

const lifecycle: CompatibilityCheck = {
  name: 'abandoned-parts',
  requirement: 'optional',
  hint: 'Parts of sessions that the database no longer has (for example after a restore) are never deleted. In the storage console, set a rule that aborts incomplete uploads after 22 days.',
  run: async ({ client, options }) => {
    const rule = {
      ID: 'abandoned-parts',
      Status: 'Enabled',
      Filter: { Prefix: '' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 22 },
    } as const
    const LifecycleConfiguration = { Rules: [rule] }
    const input = { Bucket: options.uploadsBucket, LifecycleConfiguration }
    await client.send(new PutBucketLifecycleConfigurationCommand(input))
    return 'Storage accepts the rule that deletes abandoned parts.'
  },
}

const notifications: CompatibilityCheck = {
  name: 'notifications',
  requirement: 'optional',
  hint: 'Leave STORAGE_EVENTS_URL unset: files uploaded by form are then found by polling, some seconds later; uploads in parts need no notifications.',
  run: async (context) => {
    const { notifyAt, options } = context
    const { forcePathStyle: _, ...config } = clientConfig(options.endpoint, options)
    using sns = Object.assign(new SNSClient(config), {
      [Symbol.dispose]: () => sns.destroy(),
    })
    const TopicArn = await createTopic(context, sns)
    try {
      await configureNotifications(context, TopicArn)
      if (notifyAt === undefined)
        return 'Storage accepts the notification rule; delivery was not tested, because --notify-at is not set.'
      return await receiveNotification(context, notifyAt)
    } finally {
      await sns.send(new DeleteTopicCommand({ TopicArn }))
    }
  },
}

/** Creates a topic that is not persistent, because Ceph starts to serve a persistent topic only after half a minute. */
async function createTopic({ options, notifyAt }: CheckContext, sns: SNSClient): Promise<string> {
  const Attributes = { 'push-endpoint': notifyAt?.href ?? 'http://127.0.0.1:9/' }
  const topic = { Name: options.uploadsBucket, Attributes }
  const { TopicArn } = await sns.send(new CreateTopicCommand(topic))
  assertBehavior(TopicArn !== undefined, 'Storage returned no topic ARN.')
  return TopicArn
}

async function configureNotifications({ client, options }: CheckContext, TopicArn: string): Promise<void> {
  const topic = { Id: 'uploads', TopicArn, Events: ['s3:ObjectCreated:*' as const] }
  const NotificationConfiguration = { TopicConfigurations: [topic] }
  const input = { Bucket: options.uploadsBucket, NotificationConfiguration }
  await client.send(new PutBucketNotificationConfigurationCommand(input))
}

/** Listens at `notifyAt`, writes an object and waits for its notification. */
async function receiveNotification(
  { client, options, newKey, propagationSecondsMax }: CheckContext,
  notifyAt: URL,
): Promise<string> {
  const received = new Set<string>()
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const events = readRadosgwEvents(await json(request).catch(() => undefined)) ?? []
    for (const { key } of events) received.add(key)
    response.end()
  }
  const server = createServer((request, response) => void handle(request, response))
  server.listen(Number(notifyAt.port || 80))
  await once(server, 'listening')
  try {
    const Key = newKey('notified')
    await client.send(new PutObjectCommand({ Bucket: options.uploadsBucket, Key, Body: 'x' }))
    const isReceived = await eventually(async () => received.has(Key), propagationSecondsMax)
    assertBehavior(isReceived, `No valid notification arrived at ${notifyAt.origin}.`)
    return `A notification arrived at ${notifyAt.origin}.`
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

export const environmentChecks: readonly CompatibilityCheck[] = [
  ...[cors('cors-parts', 'PUT', 'parts'), cors('cors-form', 'POST', 'form')],
  ...[lifecycle, notifications],
]
