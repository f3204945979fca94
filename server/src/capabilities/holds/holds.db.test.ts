/** A database of its own: whoever holds waits for everybody who writes there, and ends those that hang. */
import {
  newOrganization,
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import { isGone, isHeld } from '../../platform/db/held.ts'
import type { Query } from '../../platform/db/statement.ts'
import { promiseJob } from '../../platform/jobs/promise.ts'
import { explainHold, holdOrganization, markGone, moverDb, releaseOrganization } from './holds.ts'

const env = withDatabase(stackEnv(), 'holds')
await resetDatabase(env)
const owner = await opened(Promise.resolve(openOwner(env)))
const superuser = await opened(Superuser.open(env))
const service = await opened(
  Promise.resolve(
    new Database(
      { url: env.DATABASE_URL, connectionsMax: 16, statementTimeoutSeconds: 30 },
      () => {},
    ),
  ),
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

/** A row of the organization that says who wrote it. */
const writing = (title: string, organizationId: string = id) =>
  raw(
    `insert into folders (organization_id, uuid, title, search_title, grams)
     values ($1, substr(md5($2), 1, 11), $2, $2, '{}')`,
    organizationId,
    title,
  )

const isKept = async (title: string) =>
  (await superuser.query('select from folders where title = $1', [title])).length > 0

const refusal = (work: Promise<unknown>) => work.then(() => false, isHeld)

describe('a held organization', () => {
  it('is not written to, by a statement or in a transaction, and is read', async () => {
    await holdOrganization(owner, id)
    expect(await refusal(db.run(writing('late')))).toBe(true)
    expect(await refusal(db.transaction((tx) => tx.run(writing('late'))))).toBe(true)
    expect(await isKept('late')).toBe(false)
    expect(await db.run(raw('select id from organizations'))).toEqual([[{ id }]])
  })

  it('is not written to by the operator’s commands either', async () => {
    await holdOrganization(owner, id)
    expect(await refusal(owner.forOrganization(id).run(writing('late')))).toBe(true)
  })

  it('is promised no job, not even beside nothing else; whoever promised before is waited for', async () => {
    const promise = (handle: OrganizationDb) =>
      promiseJob(handle, { name: 'a-job', queue: 'light' }, {})
    const promised = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const under = db.transaction(async (tx) => {
      await promise(tx)
      promised.resolve()
      await goOn.promise
    })
    await promised.promise
    let isOver = false
    const held = holdOrganization(owner, id).then(() => {
      isOver = true
    })
    await expect.poll(() => refusal(db.run(raw('delete from folders where false')))).toBe(true)
    expect(await refusal(promise(db))).toBe(true)
    expect(await refusal(promise(owner.forOrganization(id)))).toBe(true)
    expect(isOver).toBe(false)
    goOn.resolve()
    await Promise.all([under, held])
    const jobs = 'select from dbos.workflow_status where queue_partition_key = $1'
    expect(await superuser.query(jobs, [id])).toHaveLength(1)
  })

  it('is written to by its mover, in a transaction as well', async () => {
    await holdOrganization(owner, id)
    const mover = moverDb(owner, id)
    await mover.run(writing('moved'))
    await mover.transaction(async (tx) => {
      await tx.run(raw('select 1'))
      await tx.run(writing('moved later'))
    })
    expect(await isKept('moved later')).toBe(true)
  })

  it('is nobody else: others write on', async () => {
    const other = (await newOrganization(owner)).organizationId
    await holdOrganization(owner, id)
    await service.forOrganization(other).run(writing('elsewhere', other))
    expect(await isKept('elsewhere')).toBe(true)
  })

  it('may be held twice, and is written to again once it is released', async () => {
    await holdOrganization(owner, id)
    await holdOrganization(owner, id)
    expect(await releaseOrganization(owner, id)).toBe(true)
    expect(await releaseOrganization(owner, id)).toBe(false)
    await db.run(writing('again'))
    expect(await isKept('again')).toBe(true)
  })

  it('is released by who held it and by nobody else, who is told what to do', async () => {
    const hold = owner.forOrganization(id)
    expect(await explainHold(hold)).toBeUndefined()
    await holdOrganization(owner, id, 'leaving')
    await expect(holdOrganization(owner, id)).rejects.toThrow('abandon-move')
    expect(await releaseOrganization(owner, id)).toBe(false)
    expect(await explainHold(hold)).toContain('abandon-move')
    await markGone(owner, id)
    expect(await releaseOrganization(owner, id)).toBe(false)
    expect(await releaseOrganization(owner, id, 'leaving')).toBe(false)
    expect(await explainHold(hold)).toContain('forget-organization')
    expect(await refusal(db.run(writing('late')))).toBe(true)
    expect(await releaseOrganization(owner, id, 'gone')).toBe(true)
  })

  it('is read if it is about to arrive, and no mover takes it for one that left', async () => {
    await holdOrganization(owner, id, 'arriving')
    expect(await isGone(db)).toBe(false)
    await expect(markGone(owner, id)).rejects.toThrow('hold it first')
    expect(await releaseOrganization(owner, id)).toBe(false)
    expect(await releaseOrganization(owner, id, 'arriving')).toBe(true)
  })

  it('is gone only after it was held', async () => {
    await expect(markGone(owner, id)).rejects.toThrow('hold it first')
  })
})

describe('what had begun before the hold', () => {
  it('is waited for, and counts', async () => {
    const written = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const under = db.transaction(async (tx) => {
      await tx.run(writing('just in time'))
      written.resolve()
      await goOn.promise
    })
    await written.promise
    let isOver = false
    const held = holdOrganization(owner, id).then(() => {
      isOver = true
    })
    // It is held by now, for everybody else, and whoever holds still waits.
    await expect.poll(() => refusal(db.run(raw('delete from folders where false')))).toBe(true)
    expect(isOver).toBe(false)
    goOn.resolve()
    await held
    await under
    expect(await isKept('just in time')).toBe(true)
  })

  it('is refused what it has not written yet, and nothing of it counts', async () => {
    const begun = Promise.withResolvers<void>()
    const isCommitted = Promise.withResolvers<void>()
    const under = db.transaction(async (tx) => {
      await tx.run(writing('the first half'))
      begun.resolve()
      await isCommitted.promise
      await tx.run(writing('the second half'))
    })
    await begun.promise
    const held = holdOrganization(owner, id)
    await expect.poll(() => refusal(db.run(raw('delete from folders where false')))).toBe(true)
    isCommitted.resolve()
    expect(await refusal(under)).toBe(true)
    await held
    expect(await isKept('the first half')).toBe(false)
  })

  it('is not waited for if it only reads, and is refused if it goes on to write', async () => {
    const neighbour = service.forOrganization((await newOrganization(owner)).organizationId)
    const isHeldByNow = Promise.withResolvers<void>()
    const begun: Promise<void>[] = []
    const readThenWrite = (handle: OrganizationDb) => {
      const reading = Promise.withResolvers<void>()
      begun.push(reading.promise)
      return handle.transaction(async (tx) => {
        // With a lock, as whoever is about to change a row reads it.
        await tx.run(raw('select from folders for update'))
        reading.resolve()
        await isHeldByNow.promise
        await tx.run(writing(`${handle.organizationId} wrote`, handle.organizationId))
      })
    }
    const under = [readThenWrite(db), readThenWrite(neighbour)]
    await Promise.all(begun)
    await holdOrganization(owner, id)
    isHeldByNow.resolve()
    expect(await Promise.all(under.map(refusal))).toEqual([true, false])
    expect(await isKept(`${id} wrote`)).toBe(false)
    expect(await isKept(`${neighbour.organizationId} wrote`)).toBe(true)
  })

  it('is ended if it hangs, and nothing of it counts', async () => {
    const begun = Promise.withResolvers<void>()
    const under = db.transaction(async (tx) => {
      await tx.run(writing('hanging'))
      begun.resolve()
      await tx.run(raw('select pg_sleep(25)'))
    })
    const failure = expect(under).rejects.toThrow(/terminat/i)
    await begun.promise
    const began = performance.now()
    await holdOrganization(owner, id)
    const seconds = (performance.now() - began) / 1000
    await failure
    expect(await isKept('hanging')).toBe(false)
    expect(seconds).toBeGreaterThan(4.9)
    expect(seconds).toBeLessThan(11)
  })
})

/** What is written well before it is committed is what a hold has to wait for. */
const writeAndHesitate = (title: string) =>
  db.transaction(async (tx) => {
    await tx.run(writing(title))
    await tx.run(raw('select pg_sleep(0.05)'))
  })

describe('callers who write as fast as they can', () => {
  it('lose nothing that was acknowledged, and write nothing once it is held', async () => {
    const acknowledged: string[] = []
    let isOver = false
    const caller = async (name: string, write: (title: string) => Promise<unknown>) => {
      for (let number = 0; number < 100_000 && !isOver; number++) {
        const title = `${id} ${name} ${number}`
        await write(title).then(() => acknowledged.push(title), assertHeld)
      }
    }
    const callers = [
      caller('one', (title) => db.run(writing(title))),
      caller('two', (title) => db.transaction((tx) => tx.run(writing(title)))),
      caller('three', writeAndHesitate),
      caller('four', writeAndHesitate),
    ]
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(200)
    await holdOrganization(owner, id)
    const atOnce = await titles()
    // They go on trying.
    await new Promise((resolve) => setTimeout(resolve, 300))
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
  if (!isHeld(error)) throw error
}
