/** The guarantees of the audit log: an entry with every change, in order, and no unnoticed alteration. */
import { newOrganization, openOwner, Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import { creating, type Query } from '../../platform/db/statement.ts'
import {
  changeRecord,
  exportEntries,
  listEntries,
  type NewEntry,
  publishHeads,
  readHead,
  recordEntries,
  removeOldEntries,
  sealEntries,
  sealWaiting,
  systemActor,
  verifyEntries,
} from './audit.ts'

const { DATABASE_URL: url, DATABASE_WORKER_URL: workerUrl } = stackEnv()
const open = (of: string) => new Database({ url: of, connectionsMax: 32, statementTimeoutSeconds: 30 }, () => {})
const database = await opened(Promise.resolve(open(url)))
const worker = await opened(Promise.resolve(open(workerUrl)))
const superuser = await opened(Superuser.open())
const { signal } = new AbortController()

let organizationId: OrganizationId
let db: OrganizationDb
beforeEach(async () => {
  await using owner = openOwner()
  organizationId = (await newOrganization(owner)).organizationId
  db = database.forOrganization(organizationId)
  for (const table of ['audit_outbox', 'audit_entries', 'audit_logs'])
    await superuser.query(`delete from ${table} where organization_id = $1`, [organizationId])
})

const entry = (action: string): NewEntry => ({
  ...{ actor: systemActor('test'), action, object: null, outcome: 'success', errorCode: null },
  ...{ address: '127.0.0.1', userAgent: 'a "quoted" \\ agent ü 😀', requestId: 'request-1' },
})

const recordAll = (...actions: string[]) =>
  recordEntries(
    db,
    actions.map((action) => ({ ...entry(action), ageMilliseconds: 0 })),
  )

const noFilter = {
  ...{ actorId: null, action: null, objectId: null, outcome: null, createdAfter: null, createdBefore: null },
}

async function recorded(limit = 100) {
  return (await listEntries(db, noFilter, { limit, position: undefined })).rows.toReversed()
}
const actions = async () => (await recorded()).map(({ action }) => action)

/** A write, as a statement of a store would be. */
const write = (text: string, ...values: unknown[]): Query<Record<string, unknown>> => ({
  name: '',
  text,
  writes: true,
  values: () => values,
})
const suspend = () => superuser.query('insert into held_organizations (organization_id) values ($1)', [organizationId])
const resume = () => superuser.query('delete from held_organizations where organization_id = $1', [organizationId])

const insertFolder = (title: string) =>
  write(
    `insert into folders (organization_id, uuid, title, search_title, grams)
     values ($1, substr(md5($2), 1, 11), $2, $2, '{}') returning uuid`,
    organizationId,
    title,
  )
const touchFolder = (title: string) =>
  write('update folders set title = title where organization_id = $1 and title = $2', organizationId, title)

const recording = (action: string) => {
  const record = changeRecord(() => entry(action))
  return { record, handle: database.forOrganization(organizationId, record) }
}

describe('the record of a change', () => {
  it('is written with the first statement that changes something', async () => {
    const { record, handle } = recording('createFolder')
    await handle.run({ name: '', text: 'select 1', values: () => [] })
    expect(record.isWritten).toBe(false)
    const [rows] = await handle.run(insertFolder('one'))
    expect(rows).toHaveLength(1)
    expect(record.isWritten).toBe(true)
    await handle.run(insertFolder('two'))
    expect(await actions()).toEqual(['createFolder'])
  })

  it('is written in the transaction of the change', async () => {
    const { record, handle } = recording('createFolder')
    await handle.transaction(async (tx) => {
      await tx.run(insertFolder('in a transaction'))
      await tx.send(touchFolder('in a transaction'))
    })
    expect(record.isWritten).toBe(true)
    const sameTransaction = await superuser.query(
      `select from folders join audit_outbox entry using (organization_id)
       where organization_id = $1 and entry.xmin = folders.xmin`,
      [organizationId],
    )
    expect(sameTransaction).toHaveLength(1)
  })

  it('is not written if the transaction is rolled back', async () => {
    const { record, handle } = recording('createFolder')
    const failing = handle.transaction(async (tx) => {
      await tx.run(insertFolder('never'))
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    await expect(handle.run(insertFolder('x'), write('select 1 / 0'))).rejects.toThrow('division')
    expect(record.isWritten).toBe(false)
    expect(await actions()).toEqual([])
  })

  it('is not written if the statement or transaction changed nothing', async () => {
    const { record, handle } = recording('updateFolder')
    await handle.run(touchFolder('that does not exist'))
    await handle.transaction((tx) => tx.run(touchFolder('that does not exist')))
    expect(record.isWritten).toBe(false)
    expect(await actions()).toEqual([])
  })

  it('is refused while the organization is suspended', async () => {
    await db.run(insertFolder('Before'))
    await suspend()
    const { record, handle } = recording('lockFolders')
    const lock = write('select from folders where organization_id = $1 for update', organizationId)
    await expect(handle.run(lock)).rejects.toMatchObject({ code: 'RK001' })
    expect(record.isWritten).toBe(false)
    await expect(recordAll('late')).rejects.toMatchObject({ code: 'RK001' })
    await resume()
    expect(await actions()).toEqual([])
  })

  it('has the created resource as its object', async () => {
    const { handle } = recording('createFolder')
    const insert = creating('folder', 'uuid', (_: { uuid: string }) => insertFolder('created'))
    await handle.transaction(async (tx) => {
      await tx.send(insert({ uuid: 'abc' }))
    })
    expect((await recorded())[0]?.object).toEqual({ type: 'folder', id: 'abc' })
  })
})

describe('sealed entries', () => {
  it('have numbers without gaps, and each continues from the hash of the one before', async () => {
    await recordAll('first', 'second')
    await sealEntries(db)
    await recordAll('third')
    const entries = await recorded()
    expect(entries.map(({ number, action }) => [number, action])).toEqual([
      [1, 'first'],
      [2, 'second'],
      [3, 'third'],
    ])
    expect(entries[0]?.previousHash).toBe('0'.repeat(64))
    expect(entries[2]?.previousHash).toBe(entries[1]?.hash)
    expect(await readHead(db)).toEqual({ number: 3, hash: entries[2]?.hash })
    expect(await verifyEntries(db)).toMatchObject({ checked: 3, broken: undefined })
  })

  it('are the same whether one or several processes seal them', async () => {
    await recordAll(...Array.from({ length: 2500 }, (_, index) => `action-${index}`))
    await Promise.all(Array.from({ length: 6 }, () => sealEntries(db)))
    expect(await verifyEntries(db)).toMatchObject({ checked: 2500, broken: undefined })
  })

  it('are sealed by a worker for all organizations', async () => {
    await recordAll('waiting')
    await sealWaiting(worker, signal)
    expect(await superuser.query('select from audit_outbox where organization_id = $1', [organizationId])).toEqual([])
  })

  it('are exported without gaps for a range of time', async () => {
    await recordAll('one', 'two', 'three')
    await sealEntries(db)
    await superuser.query(
      `update audit_entries set created_at = now() - make_interval(days => 10 - number::int) where organization_id = $1`,
      [organizationId],
    )
    const range = { createdAfter: null, createdBefore: null, after: 0, limit: 100 }
    const numbersOf = async (given: object) => {
      const entries = await Array.fromAsync(exportEntries(db, { ...range, ...given }))
      return entries.flat().map(({ number }) => number)
    }
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    expect(await numbersOf({})).toEqual([1, 2, 3])
    expect(await numbersOf({ after: 1 })).toEqual([2, 3])
    expect(await numbersOf({ createdAfter: daysAgo(8.5) })).toEqual([2, 3])
    expect(await numbersOf({ createdBefore: daysAgo(8.5) })).toEqual([1])
    expect(await numbersOf({ createdAfter: daysAgo(1) })).toEqual([])
    expect(await numbersOf({ limit: 2 })).toEqual([1, 2])
  })
})

describe('the service', () => {
  it.each([
    'update audit_entries set action = action',
    'delete from audit_entries',
    'insert into audit_entries select * from audit_entries',
    'update audit_outbox set action = action',
    'delete from audit_outbox',
    'update audit_logs set last_number = 1',
    'delete from audit_logs',
    'select remove_old_audit_entries(1, 1)',
  ])('may not run: %s', async (text) => {
    await expect(db.run({ name: '', text, values: () => [] })).rejects.toMatchObject({ code: '42501' })
  })
})

describe('old entries', () => {
  it('are removed from the start, and the rest still verifies', async () => {
    await recordAll('old', 'old too', 'young', 'old, after a young one')
    await sealEntries(db)
    await superuser.query(
      `update audit_entries set created_at = now() - interval '401 days' where organization_id = $1 and number <> 3`,
      [organizationId],
    )
    await resealAll()
    await removeOldEntries(worker, 400, signal)
    expect((await recorded()).map(({ number, action }) => [number, action])).toEqual([
      [3, 'young'],
      [4, 'old, after a young one'],
      [5, 'removeOldAuditEntries'],
    ])
    expect((await recorded()).at(-1)?.object).toEqual({ type: 'audit_entry', id: '2' })
    expect(await verifyEntries(db)).toMatchObject({ checked: 3, broken: undefined })
  })
})

/** Computes the hashes of all entries again, after a test has changed their times. */
const resealAll = () =>
  superuser.query(
    `do $$
     declare entry audit_entries; previous bytea := decode(repeat('00', 32), 'hex');
     begin
       for entry in select * from audit_entries where organization_id = '${organizationId}' order by number loop
         entry.previous_hash := previous;
         previous := sha256(convert_to(audit_entry_text(entry), 'UTF8'));
         update audit_entries set hash = previous, previous_hash = entry.previous_hash
         where organization_id = entry.organization_id and number = entry.number;
       end loop;
       update audit_logs set last_hash = previous where organization_id = '${organizationId}';
     end $$`,
  )

describe('the head of the log', () => {
  it('is published as an event once a day', async () => {
    await recordAll('something')
    await sealEntries(db)
    const { number, hash } = await readHead(db)
    await publishHeads(worker, signal)
    await recordAll('something else')
    await sealEntries(db)
    await publishHeads(worker, signal)
    const heads = `select data from (select organization_id, type, data from event_outbox
      union all select organization_id, type, data from events) as recorded
      where organization_id = $1 and type = 'audit.head_published'`
    expect(await superuser.query(heads, [organizationId])).toEqual([{ data: { number, hash } }])
  })
})
