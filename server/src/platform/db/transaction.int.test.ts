import { newOrganization, openOwner, Superuser, stackEnv } from '@reelkeep/testkit'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from './database.ts'
import { type Given, statement } from './statement.ts'

let organizationId: OrganizationId
/** One connection, so that a leaked connection fails the next query. */
let db: OrganizationDb
let outside: OrganizationDb
beforeEach(async () => {
  const { DATABASE_URL: url } = stackEnv()
  const single = new Database({ url, connectionsMax: 1, statementTimeoutSeconds: 120 }, () => {})
  const other = new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 120 }, () => {})
  await using owner = openOwner()
  organizationId = (await newOrganization(owner)).organizationId
  db = single.forOrganization(organizationId)
  outside = other.forOrganization(organizationId)
  return async () => {
    await single[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  }
})

const put = statement(
  ({ organizationId, slot }: Given<{ slot: number }>) => sql`
    insert into folder_counts (organization_id, slot, folder_count, root_count)
    values (${organizationId}, ${slot}, 1, 1)`,
)
const all = statement(() => sql<{ slot: number }>`select slot from folder_counts order by slot`)

const slotsSeenBy = async (reader: OrganizationDb) => (await reader.run(all({})))[0].map(({ slot }) => slot)

describe('a transaction', () => {
  it('sees its own writes before the commit, others see them after it', async () => {
    const seen = await db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.run(put({ slot: 2 }))
      return { inside: await slotsSeenBy(tx), outside: await slotsSeenBy(outside) }
    })
    expect(seen).toEqual({ inside: [1, 2], outside: [] })
    expect(await slotsSeenBy(outside)).toEqual([1, 2])
  })

  it('is rolled back when its work throws, and rejects with the error', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      throw new Error('rolled back by the test')
    })
    await expect(failing).rejects.toThrow('rolled back by the test')
    expect(await slotsSeenBy(outside)).toEqual([])
    expect(await slotsSeenBy(db)).toEqual([])
  })

  it('is rolled back when its first statement or a later one fails', async () => {
    await db.run(put({ slot: 7 }))
    await expect(db.transaction((tx) => tx.run(put({ slot: 7 })))).rejects.toMatchObject({
      code: '23505',
    })
    const failing = db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.run(put({ slot: 7 }))
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(await slotsSeenBy(db)).toEqual([7])
  })

  it('rejects even if its work caught the error of a statement', async () => {
    await db.run(put({ slot: 7 }))
    const overlooking = db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.run(put({ slot: 7 })).catch(() => 'never mind')
    })
    await expect(overlooking).rejects.toThrow()
    expect(await slotsSeenBy(db)).toEqual([7])
  })

  it('includes a nested transaction: both commit or both roll back', async () => {
    await db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.transaction((inner) => inner.run(put({ slot: 2 })))
      expect(await slotsSeenBy(outside)).toEqual([])
    })
    const failing = db.transaction(async (tx) => {
      await tx.transaction((inner) => inner.run(put({ slot: 3 })))
      throw new Error('rolled back by the test')
    })
    await expect(failing).rejects.toThrow()
    expect(await slotsSeenBy(outside)).toEqual([1, 2])
  })

  it('may contain no statement', async () => {
    expect(await db.transaction(async () => 'nothing')).toBe('nothing')
    await expect(db.transaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await slotsSeenBy(db)).toEqual([])
  })

  it('releases its connection whether it commits or fails', async () => {
    for (let time = 0; time < 20; time++) {
      await db.transaction((tx) => tx.run(all({})))
      await db.transaction(() => Promise.reject(new Error('no'))).catch(() => {})
    }
    expect(await slotsSeenBy(db)).toEqual([])
  })

  it('waits for another transaction that inserts the same key, and continues when that one ends', async () => {
    await using superuser = await Superuser.open()
    const pid = statement(() => sql<{ pid: number }>`select pg_backend_pid() as pid`)
    const [[first]] = await db.run(pid({}))
    const waits = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`
    let second: Promise<unknown> | undefined
    const failing = outside.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      second = db.run(put({ slot: 1 }))
      await expect.poll(() => superuser.query(waits, [first?.pid])).toHaveLength(1)
      throw new Error('rolled back by the test')
    })
    await expect(failing).rejects.toThrow('rolled back by the test')
    await second
    expect(await slotsSeenBy(outside)).toEqual([1])
  })
})

describe('queries given to send', () => {
  it('run in order, before the next run or at the commit', async () => {
    const seen = await db.transaction(async (tx) => {
      await tx.send(put({ slot: 1 }))
      await tx.send(put({ slot: 2 }))
      const inside = await slotsSeenBy(tx)
      await tx.send(put({ slot: 3 }))
      return inside
    })
    expect(seen).toEqual([1, 2])
    expect(await slotsSeenBy(outside)).toEqual([1, 2, 3])
  })

  it('may be the only statements of a transaction', async () => {
    await db.transaction((tx) => tx.send(put({ slot: 1 })))
    expect(await slotsSeenBy(outside)).toEqual([1])
  })

  it('have no effect if the work of the transaction throws later', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.send(put({ slot: 1 }))
      throw new Error('rolled back by the test')
    })
    await expect(failing).rejects.toThrow('rolled back by the test')
    expect(await slotsSeenBy(outside)).toEqual([])
  })

  it('roll the transaction back when one of them fails at the commit', async () => {
    await db.run(put({ slot: 7 }))
    const failing = db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.send(put({ slot: 7 }))
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(await slotsSeenBy(outside)).toEqual([7])
    // The connection stays usable for the next transaction.
    await db.transaction((tx) => tx.run(put({ slot: 2 })))
    expect(await slotsSeenBy(outside)).toEqual([2, 7])
  })

  it('run immediately outside of a transaction', async () => {
    await db.send(put({ slot: 1 }))
    expect(await slotsSeenBy(outside)).toEqual([1])
  })
})
