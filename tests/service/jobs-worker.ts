/** A worker for tests: its jobs and schedules write down what happened, in a table that the test has made. */
import { setTimeout as sleep } from 'node:timers/promises'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import type { OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import { handle } from '@reelkeep/server/platform/jobs/handler.ts'
import { noteHappened, noteTurn } from './happenings.store.ts'
import { endless, failing, noting, patient, slow } from './happenings.ts'

const note = (db: OrganizationDb, what: string) => db.run(noteHappened({ what, pid: process.pid }))

async function fail(db: OrganizationDb, what: string): Promise<void> {
  await note(db, what)
  throw new Error(`no luck with ${what}`)
}

await runWorker(({ database }) => ({
  handlers: [
    handle(noting, async ({ db, input }) => {
      await note(db, input.note)
    }),
    handle(failing, ({ db, input }) => fail(db, input.note)),
    handle(patient, ({ db, input }) => fail(db, input.note)),
    handle(endless, async ({ db, input, signal }) => {
      await note(db, `${input.note} begun`)
      await sleep(4000, undefined, input.isDeaf ? {} : { signal })
      await note(db, `${input.note} ended`)
    }),
    handle(slow, async ({ db, input, signal }) => {
      await note(db, `${input.note} begun`)
      await sleep(input.seconds * 1000, undefined, { signal })
      await note(db, `${input.note} done`)
    }),
  ],
  schedules: [
    {
      name: 'often',
      everySeconds: 1,
      runSecondsMax: 10,
      run: async () => {
        await database.ask(noteTurn({ what: 'turn begun', pid: process.pid }))
        await sleep(1500)
        await database.ask(noteTurn({ what: 'turn done', pid: process.pid }))
      },
    },
  ],
}))
