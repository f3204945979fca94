/**
 * Tests what makes an event stream read new events. In these tests the hub never polls, and no stream reaches its end
 * or a heartbeat: only a notification or a reconnect of the listener can wake a stream.
 */
import type { OrganizationId, TokenId } from '@reelkeep/server/kernel/ids.ts'
import { StreamHub } from '@reelkeep/server/modules/event-stream/stream-hub.ts'
import { lastNumber, recordEvents, sequenceEvents } from '@reelkeep/server/modules/events/events.ts'
import { markMigratedAway } from '@reelkeep/server/modules/suspension/suspension.ts'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { openLogger } from '@reelkeep/server/platform/observability/logger.ts'
import { newOrganization, openOwner, Superuser, stackEnv, TcpProxy } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { folder } from './stream-fixture.ts'

const HOUR_SECONDS = 3600

const { DATABASE_URL } = stackEnv()
const owner = await opened(Promise.resolve(openOwner()))
const superuser = await opened(Superuser.open())
const openDatabase = () =>
  new Database({ url: DATABASE_URL, connectionsMax: 4, statementTimeoutSeconds: 120 }, () => {})
const database = await opened(Promise.resolve(openDatabase()))
/** The database connection of another instance, which writes the events. */
const elsewhere = await opened(Promise.resolve(openDatabase()))

/** Proxy between the listener and Postgres. */
const proxy = await opened(TcpProxy.open(DATABASE_URL))
const hub = await opened(
  Promise.resolve(
    new StreamHub({
      database,
      url: proxy.url,
      logger: openLogger('silent'),
      onSequenced: () => [],
      limits: {
        streamsMax: 10,
        streamsPerOrganizationMax: 10,
        lifeSeconds: HOUR_SECONDS,
        heartbeatSeconds: HOUR_SECONDS,
      },
      pollSeconds: HOUR_SECONDS,
      tokensEndedChannel: 'unused',
      isLive: async () => true,
      findProgress: async () => undefined,
    }),
  ),
)

let organizationId: OrganizationId
beforeEach(async () => {
  organizationId = (await newOrganization(owner)).organizationId
})

async function write(title: string): Promise<void> {
  const db = elsewhere.forOrganization(organizationId)
  await recordEvents(db, folder(title))
  await sequenceEvents(db, () => [])
}

/** Opens a stream and waits until it has been woken by a notification. */
async function openStream() {
  const db = database.forOrganization(organizationId)
  await sequenceEvents(db, () => [])
  const principal = {
    kind: 'token',
    id: 'any' as TokenId,
    organizationId,
    scopes: ['*'],
    expiresAt: null,
    playbackEpoch: 0,
    hasQuotas: false,
    hasDefaultResolutions: false,
  } as const
  const chunks = hub.open(
    { principal, filter: { types: [], assetId: null }, after: await lastNumber(db) },
    { disconnected: new AbortController().signal, disconnect: () => {} },
  )
  const stream = { text: '', isOver: false }
  void (async () => {
    for await (const chunk of chunks) stream.text += chunk
    stream.isOver = true
  })()
  // The first two events may also be read when the stream opens or when the listener connects. Only a notification can
  // wake the stream for the third.
  for (const title of ['one', 'two', 'three']) {
    await write(title)
    await expect.poll(() => stream.text).toContain(`"title":"${title}"`)
  }
  return stream
}

describe('a stream of events', () => {
  it('is woken by the notification of an event that another instance commits', async () => {
    const stream = await openStream()
    expect(stream.isOver).toBe(false)
  })

  it('is ended by the notification that its organization has been migrated away', async () => {
    const stream = await openStream()
    await superuser.query('insert into held_organizations (organization_id) values ($1)', [organizationId])
    await markMigratedAway(owner, organizationId)
    await expect.poll(() => stream.isOver).toBe(true)
  })

  it('is woken when the listener connects again after a notification was lost', async () => {
    const stream = await openStream()
    // Writes an event without a notification.
    await superuser.query(
      `with log as (
         update event_logs set last_number = last_number + 1 where organization_id = $1 returning last_number
       )
       insert into events (organization_id, number, id, type, subject, data, created_at)
       select $1, last_number, gen_random_uuid(), 'folder.updated', 'x', '{"title": "lost"}', now() from log`,
      [organizationId],
    )
    proxy.resetConnections()
    await expect.poll(() => stream.text).toContain('lost')
  })

  it('is ended when the listener connects again after the organization was migrated away', async () => {
    const stream = await openStream()
    await superuser.query(`insert into held_organizations (organization_id, why) values ($1, 'gone')`, [organizationId])
    proxy.resetConnections()
    await expect.poll(() => stream.isOver).toBe(true)
  })
})
