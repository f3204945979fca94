/** Uses its own database: a suspension waits for all writers in it and terminates those that hang. */
import { newOrganization, openOwner, resetDatabase, Superuser, stackEnv, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import type { Query } from '../../platform/db/statement.ts'
import { isAbsent, isSuspended } from '../../platform/db/suspension.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import {
  explainSuspension,
  markMigratedAway,
  migratorDb,
  resumeOrganization,
  suspendOrganization,
} from './suspension.ts'

const env = withDatabase(stackEnv(), 'holds')
await resetDatabase(env)
const owner = await opened(Promise.resolve(openOwner(env)))
const superuser = await opened(Superuser.open(env))
const service = await opened(
  Promise.resolve(new Database({ url: env.DATABASE_URL, connectionsMax: 16, statementTimeoutSeconds: 600 }, () => {})),
)

let id: OrganizationId
let db: OrganizationDb
beforeEach(async () => {
  id = (await newOrganization(owner)).organizationId
  db = service.forOrganization(id)
})

const raw = (text: string, ...values: unknown[]): Query<Record<string, unknown>> => ({
  name: '',
  text,
  values: () => values,
})

/** Inserts a folder with a title that identifies the writer. */
const writing = (title: string, organizationId: string = id) =>
  raw(
    `insert into folders (organization_id, uuid, title, search_title, grams)
     values ($1, substr(md5($2), 1, 11), $2, $2, '{}')`,
    organizationId,
    title,
  )

const isKept = async (title: string) =>
  (await superuser.query('select from folders where title = $1', [title])).length > 0

const refusal = (work: Promise<unknown>) => work.then(() => false, isSuspended)

describe('a suspended organization', () => {
  it('refuses writes by statements and transactions, and allows reads', async () => {
    await suspendOrganization(owner, id)
    expect(await refusal(db.run(writing('late')))).toBe(true)
    expect(await refusal(db.transaction((tx) => tx.run(writing('late'))))).toBe(true)
    expect(await isKept('late')).toBe(false)
    expect(await db.run(raw('select id from organizations'))).toEqual([[{ id }]])
  })

  it('refuses writes by admin commands as well', async () => {
    await suspendOrganization(owner, id)
    expect(await refusal(owner.forOrganization(id).run(writing('late')))).toBe(true)
  })

  it('refuses new jobs; suspending waits for open transactions that enqueue one', async () => {
    const promise = (handle: OrganizationDb) => enqueueJob(handle, { name: 'a-job', queue: 'light' }, { input: {} })
    const promised = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const under = db.transaction(async (tx) => {
      await promise(tx)
      promised.resolve()
      await goOn.promise
    })
    await promised.promise
    let isOver = false
    const suspending = suspendOrganization(owner, id).then(() => {
      isOver = true
    })
    await expect.poll(() => refusal(db.run(raw('delete from folders where false')))).toBe(true)
    expect(await refusal(promise(db))).toBe(true)
    expect(await refusal(promise(owner.forOrganization(id)))).toBe(true)
    expect(isOver).toBe(false)
    goOn.resolve()
    await Promise.all([under, suspending])
    const jobs = 'select from dbos.workflow_status where queue_partition_key = $1'
    expect(await superuser.query(jobs, [id])).toHaveLength(1)
  })

  it('allows writes by its migration', async () => {
    await suspendOrganization(owner, id)
    const mover = migratorDb(owner, id)
    await mover.run(writing('moved'))
    await mover.transaction(async (tx) => {
      await tx.run(raw('select 1'))
      await tx.run(writing('moved later'))
    })
    expect(await isKept('moved later')).toBe(true)
  })

  it('does not affect other organizations', async () => {
    const other = (await newOrganization(owner)).organizationId
    await suspendOrganization(owner, id)
    await service.forOrganization(other).run(writing('elsewhere', other))
    expect(await isKept('elsewhere')).toBe(true)
  })

  it('can be suspended twice, and allows writes again when resumed', async () => {
    await suspendOrganization(owner, id)
    await suspendOrganization(owner, id)
    expect(await resumeOrganization(owner, id)).toBe(true)
    expect(await resumeOrganization(owner, id)).toBe(false)
    await db.run(writing('again'))
    expect(await isKept('again')).toBe(true)
  })

  it('is resumed only by a call that gives the same reason as the suspension', async () => {
    const handle = owner.forOrganization(id)
    expect(await explainSuspension(handle)).toBeUndefined()
    await suspendOrganization(owner, id, 'leaving')
    await expect(suspendOrganization(owner, id)).rejects.toThrow('cancel-move')
    expect(await resumeOrganization(owner, id)).toBe(false)
    expect(await explainSuspension(handle)).toContain('cancel-move')
    await markMigratedAway(owner, id)
    expect(await resumeOrganization(owner, id)).toBe(false)
    expect(await resumeOrganization(owner, id, 'leaving')).toBe(false)
    expect(await explainSuspension(handle)).toContain('delete-moved-organization')
    expect(await refusal(db.run(writing('late')))).toBe(true)
    expect(await resumeOrganization(owner, id, 'gone')).toBe(true)
  })

  it('can be read while arriving, and cannot be marked as migrated away', async () => {
    await suspendOrganization(owner, id, 'arriving')
    expect(await isAbsent(db)).toBe(false)
    await expect(markMigratedAway(owner, id)).rejects.toThrow('Suspend it first')
    expect(await resumeOrganization(owner, id)).toBe(false)
    expect(await resumeOrganization(owner, id, 'arriving')).toBe(true)
  })

  it('can be marked as migrated away only while suspended', async () => {
    await expect(markMigratedAway(owner, id)).rejects.toThrow('Suspend it first')
  })
})

describe('a transaction that started before the suspension', () => {
  it('delays the suspension and commits', async () => {
    const written = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const under = db.transaction(async (tx) => {
      await tx.run(writing('just in time'))
      written.resolve()
      await goOn.promise
    })
    await written.promise
    let isOver = false
    const suspending = suspendOrganization(owner, id).then(() => {
      isOver = true
    })
    // The organization is suspended now, and suspendOrganization still waits.
    await expect.poll(() => refusal(db.run(raw('delete from folders where false')))).toBe(true)
    expect(isOver).toBe(false)
    goOn.resolve()
    await suspending
    await under
    expect(await isKept('just in time')).toBe(true)
  })

  it('is complete if it writes again', async () => {
    const begun = Promise.withResolvers<void>()
    const isCommitted = Promise.withResolvers<void>()
    const under = db.transaction(async (tx) => {
      await tx.run(writing('the first half'))
      begun.resolve()
      await isCommitted.promise
      await tx.run(writing('the second half'))
    })
    await begun.promise
    const suspending = suspendOrganization(owner, id)
    await expect.poll(() => refusal(db.run(raw('delete from folders where false')))).toBe(true)
    isCommitted.resolve()
    await suspending
    await under
    expect(await isKept('the first half')).toBe(true)
    expect(await isKept('the second half')).toBe(true)
  })

  it('does not delay the suspension if it only reads, and fails if it writes later', async () => {
    const neighbour = service.forOrganization((await newOrganization(owner)).organizationId)
    const isHeldByNow = Promise.withResolvers<void>()
    const begun: Promise<void>[] = []
    const readThenWrite = (handle: OrganizationDb) => {
      const reading = Promise.withResolvers<void>()
      begun.push(reading.promise)
      return handle.transaction(async (tx) => {
        // Locks rows without writing.
        await tx.run(raw('select from folders for update'))
        reading.resolve()
        await isHeldByNow.promise
        await tx.run(writing(`${handle.organizationId} wrote`, handle.organizationId))
      })
    }
    const under = [readThenWrite(db), readThenWrite(neighbour)]
    await Promise.all(begun)
    await suspendOrganization(owner, id)
    isHeldByNow.resolve()
    expect(await Promise.all(under.map(refusal))).toEqual([true, false])
    expect(await isKept(`${id} wrote`)).toBe(false)
    expect(await isKept(`${neighbour.organizationId} wrote`)).toBe(true)
  })

  it('is terminated and rolled back if it hangs', async () => {
    const begun = Promise.withResolvers<void>()
    const under = db.transaction(async (tx) => {
      await tx.run(writing('hanging'))
      begun.resolve()
      await tx.run(raw('select pg_sleep(3600)'))
    })
    const failure = expect(under).rejects.toThrow(/terminat/i)
    await begun.promise
    const began = performance.now()
    await suspendOrganization(owner, id)
    const seconds = (performance.now() - began) / 1000
    await failure
    expect(await isKept('hanging')).toBe(false)
    expect(seconds).toBeGreaterThan(4.9)
  })
})

/** Writes and pauses before the commit. */
const writeAndHesitate = (title: string) =>
  db.transaction(async (tx) => {
    await tx.run(writing(title))
    await tx.run(raw('select pg_sleep(0.05)'))
  })

describe('concurrent writers', () => {
  it('lose no acknowledged write, and write nothing after the suspension', async () => {
    const acknowledged: string[] = []
    const refusals = new Map<string, number>()
    let isOver = false
    const caller = async (name: string, write: (title: string) => Promise<unknown>) => {
      for (let number = 0; number < 100_000 && !isOver; number++) {
        const title = `${id} ${name} ${number}`
        await write(title).then(
          () => acknowledged.push(title),
          (error: unknown) => {
            assertHeld(error)
            refusals.set(name, (refusals.get(name) ?? 0) + 1)
          },
        )
      }
    }
    const callers = [
      caller('one', (title) => db.run(writing(title))),
      caller('two', (title) => db.transaction((tx) => tx.run(writing(title)))),
      caller('three', writeAndHesitate),
      caller('four', writeAndHesitate),
    ]
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(200)
    await suspendOrganization(owner, id)
    const atOnce = await titles()
    refusals.clear()
    // Wait until each writer has attempted several writes after the suspension.
    const refusedOften = () => [...refusals.values()].filter((count) => count > 10).length
    await expect.poll(refusedOften).toBe(callers.length)
    isOver = true
    await Promise.all(callers)
    expect(await titles()).toEqual(atOnce)
    expect(acknowledged.filter((title) => !atOnce.includes(title))).toEqual([])
  })
})

async function titles(): Promise<string[]> {
  const text = 'select title from folders where organization_id = $1 order by title'
  return (await superuser.query<{ title: string }>(text, [id])).map(({ title }) => title)
}

function assertHeld(error: unknown): void {
  if (!isSuspended(error)) throw error
}
