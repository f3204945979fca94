import { Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { Registry } from 'prom-client'
import { afterAll, expect, it } from 'vitest'
import { Database } from './database.ts'
import { gaugeWalReceiver } from './wal-receiver.ts'

const superuser = await opened(Superuser.open())
/** As the worker connects: it may read neither what a receiver has nor who it is, and need not. */
const worker = await opened(
  Promise.resolve(
    new Database(
      { url: stackEnv().DATABASE_WORKER_URL, connectionsMax: 1, statementTimeoutSeconds: 10 },
      () => {},
    ),
  ),
)
const registry = new Registry()
gaugeWalReceiver(registry, worker)
const told = async () =>
  /^reelkeep_wal_receiver_connected (\S+)$/m.exec(await registry.metrics())?.[1]

/** Slots belong to the whole cluster; one that reserves nothing keeps nothing. */
const dropSlot = () =>
  superuser.query(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'reelkeep_wal'`,
  )
afterAll(dropSlot)

it('tells nothing where there never was a receiver, and 0 of one that is gone', async () => {
  await dropSlot()
  expect(await told()).toBeUndefined()
  await superuser.query(`select pg_create_physical_replication_slot('reelkeep_wal')`)
  expect(await told()).toBe('0')
  await dropSlot()
  expect(await told()).toBeUndefined()
})
