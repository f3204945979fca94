/** Claims of webhooks, on the real tables. */
import { newOrganization, openOwner, Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { newAssetId, newWebhookId } from '../../kernel/ids.ts'
import { Database } from '../../platform/db/database.ts'
import { aboutAsset, recordEvents, sequenceEvents } from '../events/events.ts'
import { fanOut } from '../webhooks/webhooks.ts'
import { claimWebhooks } from './claims.store.ts'

const url = stackEnv().DATABASE_WORKER_URL
const open = async () => new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 30 }, () => {})
const database = await opened(open())
const superuser = await opened(Superuser.open())

const largeEvent = () => {
  const asset_id = newAssetId()
  const chapters = [{ id: 1, title: 'x'.repeat(500_000), start_time: '00:00:00', start_seconds: 0 }]
  return aboutAsset(asset_id, { type: 'chapter.created', data: { asset_id, chapters } })
}

it('due events are read two megabytes at a time, oldest first', async () => {
  await using owner = openOwner()
  const { organizationId } = await newOrganization(owner)
  const db = database.forOrganization(organizationId)
  await sequenceEvents(db, fanOut)
  await superuser.query(
    `insert into webhooks (organization_id, id, url, description, types, secret, secret_key_id)
     values ($1, $2, 'https://receiver.example/', '', '{}', '', 'older')`,
    [organizationId, newWebhookId()],
  )
  await recordEvents(db, ...Array.from({ length: 10 }, largeEvent))
  await sequenceEvents(db, fanOut)
  const [claimed] = await claimWebhooks(db, { workerId: 'store-test', claimedIds: [], limit: 1 })
  // Delete the webhook, so that no worker of another test delivers to it.
  await superuser.query('delete from webhooks where organization_id = $1', [organizationId])
  const numbers = claimed?.due.map(({ number }) => number) ?? []
  expect(numbers).toHaveLength(5)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
})
