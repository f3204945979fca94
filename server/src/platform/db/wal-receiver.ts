import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import { withinScrapeTimeout } from '../observability/metrics.ts'
import type { Database } from './database.ts'
import { dedicatedConnection, type Given, statement } from './statement.ts'

/** deploy/backup/receive-wal creates the replication slot when it first starts. Every role may read its status. */
const receiver = dedicatedConnection(
  statement(
    (_: Given<object>) => sql<{ isConnected: boolean }>`
    select active as "isConnected" from pg_replication_slots where slot_name = 'reelkeep_wal'`,
  ),
)

/**
 * Reports whether the WAL receiver is connected, as seen by Postgres: a dead receiver cannot report itself.
 * The gauge is absent if there never was a receiver. Every worker reports the same value.
 */
export function gaugeWalReceiver(registry: Registry, database: Database): void {
  new Gauge({
    name: 'reelkeep_wal_receiver_connected',
    help: 'Whether receive-wal is connected to Postgres: 1 or 0. Absent if it was never started.',
    registers: [registry],
    async collect() {
      const [slot] = (await withinScrapeTimeout(database.runUnscoped(receiver({})))) ?? []
      if (slot) this.set(Number(slot.isConnected))
      else this.remove()
    },
  })
}
