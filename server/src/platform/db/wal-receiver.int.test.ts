import { Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { Registry } from 'prom-client'
import { afterAll, expect, it } from 'vitest'
import { Database } from './database.ts'
import { gaugeWalReceiver } from './wal-receiver.ts'

const superuser = await opened(Superuser.open())
/** The worker's role may read whether the slot is active, and no details of the receiver. */
const worker = await opened(
  Promise.resolve(
    new Database({ url: stackEnv().DATABASE_WORKER_URL, connectionsMax: 1, statementTimeoutSeconds: 10 }, () => {}),
  ),
)
const registry = new Registry()
gaugeWalReceiver(registry, worker)
const gaugeValue = async () => /^reelkeep_wal_receiver_connected (\S+)$/m.exec(await registry.metrics())?.[1]

/** Replication slots belong to the whole Postgres server. The test's slot reserves no WAL. */
const dropSlot = () =>
  superuser.query(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'reelkeep_wal'`,
  )
afterAll(dropSlot)

it('reelkeep_wal_receiver_connected is absent without a slot, and 0 if no receiver is connected', async () => {
  await dropSlot()
  expect(await gaugeValue()).toBeUndefined()
  await superuser.query(`select pg_create_physical_replication_slot('reelkeep_wal')`)
  expect(await gaugeValue()).toBe('0')
  await dropSlot()
  expect(await gaugeValue()).toBeUndefined()
})
