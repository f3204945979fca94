import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import { answerInTime } from '../observability/metrics.ts'
import type { Database } from './database.ts'
import { type Given, statement, takesLong } from './statement.ts'

/**
 * deploy/backup/receive-wal makes this slot when it is first started. Postgres lets every role read
 * whether somebody uses it.
 */
const receiver = takesLong(
  statement(
    (_: Given<object>) => sql<{ isConnected: boolean }>`
    select active as "isConnected" from pg_replication_slots where slot_name = 'reelkeep_wal'`,
  ),
)

/**
 * A receiver that has died cannot tell; Postgres can. Where there never was one nothing is told.
 * Every worker tells the same.
 */
export function gaugeWalReceiver(registry: Registry, database: Database): void {
  new Gauge({
    name: 'reelkeep_wal_receiver_connected',
    help: 'Whether receive-wal takes what Postgres writes: 1 or 0. Absent where it was never started.',
    registers: [registry],
    async collect() {
      const [found] = (await answerInTime(database.ask(receiver({})))) ?? []
      if (found) this.set(Number(found.isConnected))
      else this.remove()
    },
  })
}
