import { newOrganization, openOwner, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { Database, type OrganizationDb } from '../../../platform/db/database.ts'
import { about, lastNumber, recordEvents, settleEvents } from '../events.ts'
import { LogReader } from './log-reader.ts'

const { DATABASE_URL: url } = stackEnv()
const options = { url, connectionsMax: 8, statementTimeoutSeconds: 10 }
const database = await opened(Promise.resolve(new Database(options, () => {})))

let db: OrganizationDb
/** How often Postgres was asked. */
let questions: number
/** Answers to what is asked meanwhile wait for it. */
let answersHeld: Promise<void> | undefined
let reader: LogReader
let after: number
beforeEach(async () => {
  await using owner = openOwner()
  db = database.forOrganization((await newOrganization(owner)).organizationId)
  await settleEvents(db, () => [])
  after = await lastNumber(db)
  questions = 0
  answersHeld = undefined
  reader = new LogReader({
    organizationId: db.organizationId,
    run: async (...queries) => {
      questions++
      const delay = answersHeld
      const rows = await db.run(...queries)
      await delay
      return rows
    },
    send: (...queries) => db.send(...queries),
    transaction: (work) => db.transaction(work),
  })
})

async function write(title: string): Promise<void> {
  const data = { uuid: 'abc', title, parent: null }
  await recordEvents(db, about('a folder', { type: 'folder.updated', data }))
  await settleEvents(db, () => [])
}

const read = (more: object = {}) => reader.read({ after, types: [], assetId: null, ...more })

describe('a reader of the log', () => {
  it('looks once for all who ask at the same moment for the same', async () => {
    await write('one')
    await read()
    const alone = questions
    const pieces = await Promise.all(Array.from({ length: 50 }, () => read()))
    expect(questions).toBe(2 * alone)
    for (const piece of pieces) {
      expect(piece).toMatchObject({ after: after + 1, hasMore: false })
      expect(piece.text).toContain('"title":"one"')
    }
  })

  it('looks again for who asks for something else', async () => {
    await write('one')
    const [all, none, later] = await Promise.all([
      read(),
      read({ types: ['asset.*'] }),
      read({ after: after + 1 }),
    ])
    expect(all.text).toContain('one')
    expect([none.text, none.after]).toEqual(['', after + 1])
    expect(later.text).toBe('')
  })

  it('looks again for who asks when a look has begun: it may have passed what is asked for', async () => {
    const held = Promise.withResolvers<void>()
    answersHeld = held.promise
    const early = read()
    // A turn later it is on its way.
    await new Promise((resolve) => setImmediate(resolve))
    expect(questions).toBeGreaterThan(0)
    answersHeld = undefined
    await write('meanwhile')
    const late = read()
    held.resolve()
    expect((await late).text).toContain('meanwhile')
    await early
  })
})
