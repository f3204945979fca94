import { newOrganization, openOwner, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import { about, lastNumber, recordEvents, sequenceEvents } from '../events/events.ts'
import { LogReader } from './log-reader.ts'

const { DATABASE_URL: url } = stackEnv()
const options = { url, connectionsMax: 8, statementTimeoutSeconds: 10 }
const database = await opened(Promise.resolve(new Database(options, () => {})))

let db: OrganizationDb
/** Number of database queries so far. */
let queryCount: number
/** Query results are delayed until this promise resolves. */
let resultsDelayed: Promise<void> | undefined
let reader: LogReader
let after: number
beforeEach(async () => {
  await using owner = openOwner()
  db = database.forOrganization((await newOrganization(owner)).organizationId)
  await sequenceEvents(db, () => [])
  after = await lastNumber(db)
  queryCount = 0
  resultsDelayed = undefined
  const counted: OrganizationDb = {
    organizationId: db.organizationId,
    limits: undefined,
    run: async (...queries) => {
      queryCount++
      const delay = resultsDelayed
      const rows = await db.run(...queries)
      await delay
      return rows
    },
    send: (...queries) => db.send(...queries),
    transaction: (work) => db.transaction(work),
    withTrash: (work) => db.withTrash(work),
    withLimits: (_, work) => work(counted),
  }
  reader = new LogReader(counted)
})

async function write(title: string): Promise<void> {
  const data = { uuid: 'abc', title, parent: null, purge_at: null, external_id: null, metadata: {} }
  await recordEvents(db, about('a folder', { type: 'folder.updated', data }))
  await sequenceEvents(db, () => [])
}

const read = (more: object = {}) => reader.read({ after, types: [], assetId: null, ...more })

describe('a reader of the event log', () => {
  it('runs one query for concurrent equal reads', async () => {
    await write('one')
    await read()
    const alone = queryCount
    const chunks = await Promise.all(Array.from({ length: 50 }, () => read()))
    expect(queryCount).toBe(2 * alone)
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ after: after + 1, hasMore: false })
      expect(chunk.text).toContain('"title":"one"')
    }
  })

  it('runs a separate query for each filter and each position', async () => {
    await write('one')
    const [all, none, later] = await Promise.all([read(), read({ types: ['asset.*'] }), read({ after: after + 1 })])
    expect(all.text).toContain('one')
    expect([none.text, none.after]).toEqual(['', after + 1])
    expect(later.text).toBe('')
  })

  it('starts a new query for a read that arrives while a query is running', async () => {
    const delay = Promise.withResolvers<void>()
    resultsDelayed = delay.promise
    const early = read()
    // Wait for one tick, until the query is running.
    await new Promise((resolve) => setImmediate(resolve))
    expect(queryCount).toBeGreaterThan(0)
    resultsDelayed = undefined
    await write('meanwhile')
    const late = read()
    delay.resolve()
    expect((await late).text).toContain('meanwhile')
    await early
  })
})
