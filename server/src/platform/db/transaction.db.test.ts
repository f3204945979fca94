import { setTimeout as sleep } from 'node:timers/promises'
import { newOrganization, openOwner, stackEnv } from '@reelkeep/testkit'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from './database.ts'
import { type Given, statement } from './statement.ts'

let organizationId: OrganizationId
/** One connection, so that one that is not given back is missed. */
let db: OrganizationDb
let outside: OrganizationDb
beforeEach(async () => {
  const { DATABASE_URL: url } = stackEnv()
  const one = new Database({ url, connectionsMax: 1, statementTimeoutSeconds: 10 }, () => {})
  const other = new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 10 }, () => {})
  await using owner = openOwner()
  organizationId = (await newOrganization(owner)).organizationId
  db = one.forOrganization(organizationId)
  outside = other.forOrganization(organizationId)
  return async () => {
    await one[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  }
})

const put = statement(
  ({ organizationId, slot }: Given<{ slot: number }>) => sql`
    insert into folder_counts (organization_id, slot, folder_count, root_count)
    values (${organizationId}, ${slot}, 1, 1)`,
)
const all = statement(() => sql<{ slot: number }>`select slot from folder_counts order by slot`)

const slotsSeenBy = async (somebody: OrganizationDb) =>
  (await somebody.run(all({})))[0].map(({ slot }) => slot)

describe('a transaction', () => {
  it('shows its work to others once it is done, and to itself before', async () => {
    const seen = await db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.run(put({ slot: 2 }))
      return { inside: await slotsSeenBy(tx), outside: await slotsSeenBy(outside) }
    })
    expect(seen).toEqual({ inside: [1, 2], outside: [] })
    expect(await slotsSeenBy(outside)).toEqual([1, 2])
  })

  it('leaves nothing when its work throws, and passes the error on', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await slotsSeenBy(outside)).toEqual([])
    expect(await slotsSeenBy(db)).toEqual([])
  })

  it('leaves nothing when a statement fails, the first or a later one', async () => {
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

  it('does not pretend to be done when a failure in it was overlooked', async () => {
    await db.run(put({ slot: 7 }))
    const overlooking = db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.run(put({ slot: 7 })).catch(() => 'never mind')
    })
    await expect(overlooking).rejects.toThrow()
    expect(await slotsSeenBy(db)).toEqual([7])
  })

  it('takes one inside it into itself: they are kept or dropped together', async () => {
    await db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.transaction((inner) => inner.run(put({ slot: 2 })))
      expect(await slotsSeenBy(outside)).toEqual([])
    })
    const failing = db.transaction(async (tx) => {
      await tx.transaction((inner) => inner.run(put({ slot: 3 })))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow()
    expect(await slotsSeenBy(outside)).toEqual([1, 2])
  })

  it('may do nothing', async () => {
    expect(await db.transaction(async () => 'nothing')).toBe('nothing')
    await expect(db.transaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await slotsSeenBy(db)).toEqual([])
  })

  it('gives its connection back, however it ends', async () => {
    for (let time = 0; time < 20; time++) {
      await db.transaction((tx) => tx.run(all({})))
      await db.transaction(() => Promise.reject(new Error('no'))).catch(() => {})
    }
    expect(await slotsSeenBy(db)).toEqual([])
  })

  it('waits for another that holds the same row, and then sees how that one ended', async () => {
    const first = outside.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await sleep(200)
      throw new Error('changed my mind')
    })
    await sleep(50)
    const [, second] = await Promise.allSettled([first, db.run(put({ slot: 1 }))])
    expect(second.status).toBe('fulfilled')
    expect(await slotsSeenBy(outside)).toEqual([1])
  })
})

describe('queries that are sent', () => {
  it('happen in their order, before what is asked next or when the transaction ends', async () => {
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

  it('are all that a transaction needs to do', async () => {
    await db.transaction((tx) => tx.send(put({ slot: 1 })))
    expect(await slotsSeenBy(outside)).toEqual([1])
  })

  it('do not happen when the work throws after them', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.send(put({ slot: 1 }))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await slotsSeenBy(outside)).toEqual([])
  })

  it('fail the transaction, with all of it, when one of them fails at its end', async () => {
    await db.run(put({ slot: 7 }))
    const failing = db.transaction(async (tx) => {
      await tx.run(put({ slot: 1 }))
      await tx.send(put({ slot: 7 }))
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(await slotsSeenBy(outside)).toEqual([7])
    // The connection is whole: the next transaction on it is none of that one's business.
    await db.transaction((tx) => tx.run(put({ slot: 2 })))
    expect(await slotsSeenBy(outside)).toEqual([2, 7])
  })

  it('run at once outside of a transaction', async () => {
    await db.send(put({ slot: 1 }))
    expect(await slotsSeenBy(outside)).toEqual([1])
  })
})
