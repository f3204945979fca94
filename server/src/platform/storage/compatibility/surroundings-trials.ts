/** What makes uploads pleasant: pages may send them, storage tells of them and clears away what was left. */
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
import { clientConfig } from '../client.ts'
import { readRadosgwEvents } from '../events.ts'
import { assertSeen, type Bench, type Trial } from './trial.ts'

const ORIGIN = 'https://check.reelkeep.example'

const LOOK_EVERY_SECONDS = 1

/** Of browsers, whether a page of the origin may do this. */
async function mayPage({ options }: Bench, key: string, method: string, origin: string) {
  const address = `${options.publicEndpoint}/${options.uploadsBucket}${key && `/${key}`}`
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'content-type',
  }
  const answer = await fetch(address, { method: 'OPTIONS', headers })
  await answer.body?.cancel()
  const allowed = answer.headers.get('access-control-allow-origin') ?? ''
  return answer.status < 300 && [origin, '*'].includes(allowed)
}

/** Whether it comes to be so within the time that it may take. */
async function becomes(isSo: () => Promise<boolean>, secondsMax: number): Promise<boolean> {
  const end = performance.now() + secondsMax * 1000
  while (!(await isSo())) {
    if (performance.now() > end) return false
    await sleep(LOOK_EVERY_SECONDS * 1000)
  }
  return true
}

/** Forms are posted to the bucket, parts are put to their key. */
const cors = (name: string, method: 'POST' | 'PUT', after: string): Trial => ({
  name,
  need: 'better',
  after,
  cure: 'Pages in browsers cannot upload; SDK and command line can. Set the rule in the console of storage (PUT and POST from UPLOAD_ORIGINS, ETag exposed), or answer OPTIONS in a proxy in front of it.',
  attempt: async (bench) => {
    const { client, options, newKey, spreadSecondsMax } = bench
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
    const isAllowed = await becomes(() => mayPage(bench, key, method, ORIGIN), spreadSecondsMax)
    assertSeen(isAllowed, `A page of an origin with a rule may not ${method}.`)
    const isOpen = await mayPage(bench, key, method, 'https://other.example')
    assertSeen(!isOpen, `A page of an origin without a rule may ${method}.`)
    return `Pages of an origin with a rule may ${method}, and no others.`
  },
})

const lifecycle: Trial = {
  name: 'abandoned-parts',
  need: 'better',
  cure: 'Parts whose session the database no longer knows (after a restore, say) stay for ever. Set a rule in the console of storage that gives up incomplete uploads after 22 days.',
  attempt: async ({ client, options }) => {
    const rule = {
      ID: 'abandoned-parts',
      Status: 'Enabled',
      Filter: { Prefix: '' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 22 },
    } as const
    const LifecycleConfiguration = { Rules: [rule] }
    const wish = { Bucket: options.uploadsBucket, LifecycleConfiguration }
    await client.send(new PutBucketLifecycleConfigurationCommand(wish))
    return 'Storage takes the rule that deletes abandoned parts.'
  },
}

const notifications: Trial = {
  name: 'notifications',
  need: 'better',
  cure: 'Leave STORAGE_EVENTS_URL unset: files by a form are then found by looking, some seconds later; files in parts need none.',
  attempt: async (bench) => {
    const { notifyAt, options } = bench
    const { forcePathStyle: _, ...config } = clientConfig(options.endpoint, options)
    using sns = Object.assign(new SNSClient(config), {
      [Symbol.dispose]: () => sns.destroy(),
    })
    const TopicArn = await createTopic(bench, sns)
    try {
      await notifyTopic(bench, TopicArn)
      if (notifyAt === undefined)
        return 'Storage takes the rule; whether its messages arrive was not tried (--notify-at).'
      return await hear(bench, notifyAt)
    } finally {
      await sns.send(new DeleteTopicCommand({ TopicArn }))
    }
  },
}

/** Not a persistent one, which Ceph takes up after half a minute only. */
async function createTopic({ options, notifyAt }: Bench, sns: SNSClient): Promise<string> {
  const Attributes = { 'push-endpoint': notifyAt?.href ?? 'http://127.0.0.1:9/' }
  const topic = { Name: options.uploadsBucket, Attributes }
  const { TopicArn } = await sns.send(new CreateTopicCommand(topic))
  assertSeen(TopicArn !== undefined, 'Storage made a topic without a name.')
  return TopicArn
}

async function notifyTopic({ client, options }: Bench, TopicArn: string): Promise<void> {
  const topic = { Id: 'uploads', TopicArn, Events: ['s3:ObjectCreated:*' as const] }
  const NotificationConfiguration = { TopicConfigurations: [topic] }
  const wish = { Bucket: options.uploadsBucket, NotificationConfiguration }
  await client.send(new PutBucketNotificationConfigurationCommand(wish))
}

/** Listens where storage is to tell, and has it told of an object. */
async function hear(
  { client, options, newKey, spreadSecondsMax }: Bench,
  notifyAt: URL,
): Promise<string> {
  const heard = new Set<string>()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const events = readRadosgwEvents(await json(request).catch(() => undefined)) ?? []
    for (const { key } of events) heard.add(key)
    response.end()
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(Number(notifyAt.port || 80))
  await once(server, 'listening')
  try {
    const Key = newKey('told')
    await client.send(new PutObjectCommand({ Bucket: options.uploadsBucket, Key, Body: 'x' }))
    const isHeard = await becomes(async () => heard.has(Key), spreadSecondsMax)
    assertSeen(isHeard, `Storage told ${notifyAt.origin} of no object, or not in words we read.`)
    return `Storage told ${notifyAt.origin} of an object.`
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

export const surroundingsTrials: readonly Trial[] = [
  ...[cors('cors-parts', 'PUT', 'parts'), cors('cors-form', 'POST', 'form')],
  ...[lifecycle, notifications],
]
