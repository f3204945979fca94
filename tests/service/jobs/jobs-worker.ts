/** A worker for tests. Its jobs and schedules record their runs in a table that the test creates. */
import { setTimeout as sleep } from 'node:timers/promises'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import type { OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import { handle } from '@reelkeep/server/platform/jobs/handler.ts'
import { insertRecord, insertRunRecord, openGates } from './job-fixture.store.ts'
import { endless, failing, gated, longBackoff, recording, slow } from './job-fixture.ts'

const GATE_MILLISECONDS = 50
const RUN_MILLISECONDS = 600

const note = (db: OrganizationDb, what: string) => db.run(insertRecord({ what, pid: process.pid }))

/** Whether a gated job still has to wait; also true while the database is unavailable. */
const isGateShut = (db: OrganizationDb, note: string) =>
  db.run(openGates({ note })).then(
    ([rows]) => rows.length === 0,
    () => true,
  )

async function fail(db: OrganizationDb, what: string): Promise<void> {
  await note(db, what)
  throw new Error(`failed on purpose: ${what}`)
}

await runWorker(({ database }) => ({
  handlers: [
    handle(recording, async ({ db, input }) => {
      await note(db, input.note)
    }),
    handle(failing, ({ db, input }) => fail(db, input.note)),
    handle(longBackoff, ({ db, input }) => fail(db, input.note)),
    handle(endless, async ({ db, input, signal }) => {
      await note(db, `${input.note} started`)
      await sleep(2000, undefined, input.ignoresAbort ? {} : { signal })
      await note(db, `${input.note} ended`)
    }),
    handle(slow, async ({ db, input, signal }) => {
      await note(db, `${input.note} started`)
      await sleep(input.seconds * 1000, undefined, { signal })
      await note(db, `${input.note} done`)
    }),
    handle(gated, async ({ db, input, signal }) => {
      await note(db, `${input.note} started`)
      while ((await isGateShut(db, input.note)) || signal.aborted) {
        await sleep(GATE_MILLISECONDS, undefined, { signal })
      }
      await note(db, `${input.note} done`)
    }),
  ],
  schedules: [
    {
      name: 'often',
      everySeconds: 0.5,
      runSecondsMax: 10,
      run: async () => {
        await database.runUnscoped(insertRunRecord({ what: 'run started', pid: process.pid }))
        await sleep(RUN_MILLISECONDS)
        await database.runUnscoped(insertRunRecord({ what: 'run done', pid: process.pid }))
      },
    },
  ],
}))
