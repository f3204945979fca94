/** Fan-out of sequenced events to webhooks, on the real tables. */
import { randomUUID } from 'node:crypto'
import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { newAssetId, newWebhookId, type OrganizationId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { about, aboutAsset, recordEvents, sequenceEvents } from '../../events/events.ts'
import { fanOut } from '../webhooks.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

let caller: Caller
let db: OrganizationDb
let numberBefore: number
beforeEach(async () => {
  caller = await testApi.newOrganization()
  db = testApi.context.database.forOrganization(caller.organizationId as OrganizationId)
  // Skips the events of creating the organization.
  await sequence()
  const [log] = await superuser.query<{ last: string }>(
    'select last_number as last from event_logs where organization_id = $1',
    [caller.organizationId],
  )
  numberBefore = Number(log?.last ?? 0)
})

async function newWebhook(types: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const id = newWebhookId()
  const [names, values] = [Object.keys(more), Object.values(more)]
  await superuser.query(
    `insert into webhooks (organization_id, id, url, description, types, secret, secret_key_id${names.map((name) => `, ${name}`).join('')})
     values ($1, $2, 'https://receiver.example/', '', $3, '', 'older'${values.map((_, index) => `, $${index + 4}`).join('')})`,
    [caller.organizationId, id, types, ...values],
  )
  return id
}

const deliveriesTo = async (webhookId: string) =>
  (
    await superuser.query<{ number: string; type: string }>(
      `select number, type from webhook_deliveries where organization_id = $1 and webhook_id = $2 order by number`,
      [caller.organizationId, webhookId],
    )
  ).map(({ number, type }) => `${Number(number) - numberBefore} ${type}`)

const stateOf = async (webhookId: string) => {
  const [row] = await superuser.query<{ wakes: string; isDue: boolean | null }>(
    `select wakes, due_at <= now() as "isDue" from webhooks where organization_id = $1 and id = $2`,
    [caller.organizationId, webhookId],
  )
  return row
}

const chapterEvent = () => {
  const asset = newAssetId()
  return aboutAsset(asset, { type: 'chapter.created', data: { asset_id: asset, chapters: [] } })
}
const tokenEvent = () => about(randomUUID(), { type: 'token.created', data: { id: randomUUID(), name: 'Test' } })

const sequence = () => sequenceEvents(db, fanOut)

describe('sequenced events', () => {
  it('are delivered to webhooks that subscribe to all events, a type or a family', async () => {
    const all = await newWebhook([])
    const kind = await newWebhook(['token.created', 'token.revoked'])
    const family = await newWebhook(['chapter.*'])
    const other = await newWebhook(['token.revoked', 'asset.*'])
    await recordEvents(db, chapterEvent(), tokenEvent())
    await sequence()
    expect(await deliveriesTo(all)).toEqual(['1 chapter.created', '2 token.created'])
    expect(await deliveriesTo(kind)).toEqual(['2 token.created'])
    expect(await deliveriesTo(family)).toEqual(['1 chapter.created'])
    expect(await deliveriesTo(other)).toEqual([])
  })

  it('are not delivered to webhooks of another organization, disabled ones or expired ones', async () => {
    const disabled = await newWebhook([], { disabled_at: 'now', disabled_because: 'caller' })
    const expired = await newWebhook([], { expires_at: 'now' })
    await recordEvents(db, tokenEvent())
    const [mine, myDb] = [caller, db]
    caller = await testApi.newOrganization()
    const foreign = await newWebhook([])
    await sequenceEvents(myDb, fanOut)
    expect(await deliveriesTo(foreign)).toEqual([])
    caller = mine
    expect(await deliveriesTo(disabled)).toEqual([])
    expect(await deliveriesTo(expired)).toEqual([])
  })

  it('wake the webhooks they are delivered to, and no others', async () => {
    const [subscribed, other] = [await newWebhook([]), await newWebhook(['asset.*'])]
    await recordEvents(db, tokenEvent(), tokenEvent())
    await sequence()
    expect(await stateOf(subscribed)).toEqual({ wakes: '1', isDue: true })
    expect(await stateOf(other)).toEqual({ wakes: '0', isDue: null })
  })

  it('do not wake a paused webhook early', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const paused = await newWebhook([], { rests_until: until })
    await recordEvents(db, tokenEvent())
    await sequence()
    expect(await stateOf(paused)).toEqual({ wakes: '1', isDue: false })
  })

  it('are delivered only to the tested webhook if their type is webhook.test, whatever it subscribes to', async () => {
    const [tested, other] = [await newWebhook(['asset.*']), await newWebhook([])]
    const data = { id: tested, url: 'https://receiver.example/' }
    await recordEvents(db, about(randomUUID(), { type: 'webhook.test', data }))
    await sequence()
    expect(await deliveriesTo(tested)).toEqual(['1 webhook.test'])
    expect(await deliveriesTo(other)).toEqual([])
  })
})

describe('concurrent sequencing and writing', () => {
  it('deliver each event exactly once to each subscribed webhook', async () => {
    const [all, some] = [await newWebhook([]), await newWebhook(['token.*'])]
    const writers = Array.from({ length: 40 }, async (_, turn) => {
      await recordEvents(db, tokenEvent(), chapterEvent())
      if (turn % 4 === 0) await sequence()
    })
    await Promise.all([...writers, sequence(), sequence()])
    await sequence()
    const everything = await deliveriesTo(all)
    expect(everything.map((delivery) => Number(delivery.split(' ')[0]))).toEqual(
      Array.from({ length: 80 }, (_, index) => index + 1),
    )
    expect(await deliveriesTo(some)).toEqual(everything.filter((delivery) => delivery.endsWith('token.created')))
  })
})
