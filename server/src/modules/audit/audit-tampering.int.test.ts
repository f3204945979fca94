/** Alters the audit log as a superuser of the database could, at random, and expects that verification finds it. */
import { newOrganization, openOwner, Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeAll, describe, expect, it } from 'vitest'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import { readHead, recordEntries, sealEntries, systemActor, verifyEntries } from './audit.ts'

const ENTRIES = 40
const TAMPERINGS = 1000

const superuser = await opened(Superuser.open())
const { DATABASE_URL: url } = stackEnv()
const database = await opened(
  Promise.resolve(new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 30 }, () => {})),
)

let organizationId = ''
let db: OrganizationDb
beforeAll(async () => {
  await using owner = openOwner()
  const created = await newOrganization(owner)
  organizationId = created.organizationId
  db = database.forOrganization(created.organizationId)
  const entry = (index: number) => ({
    ...{ actor: systemActor(`actor ${index % 3}`), action: `action${index % 5}`, ageMilliseconds: index },
    ...{ object: { type: 'folder', id: `folder${index % 7}` }, outcome: 'success' as const, errorCode: null },
    ...{ address: '127.0.0.1', userAgent: null, requestId: `request-${index}` },
  })
  await recordEntries(
    db,
    Array.from({ length: ENTRIES }, (_, index) => entry(index)),
  )
  await sealEntries(db)
  await superuser.query('create temp table original as select * from audit_entries where organization_id = $1', [
    organizationId,
  ])
})

const restore = async () => {
  await superuser.query(`delete from audit_entries where organization_id = 'another1'`)
  await superuser.query('delete from audit_entries where organization_id = $1', [organizationId])
  await superuser.query('insert into audit_entries select * from original')
}

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item
const randomNumber = () => 1 + Math.floor(Math.random() * ENTRIES)

/** New values of the columns. None is the same as before. */
const alterations = [
  `created_at = created_at + interval '1 microsecond'`,
  `actor_kind = actor_kind || 'x'`,
  `actor_id = gen_random_uuid()`,
  `actor_name = 'someone else'`,
  `action = action || '2'`,
  `object_type = 'asset'`,
  `object_id = object_id || 'x'`,
  `outcome = 'refused'`,
  `error_code = 'insufficient_scope'`,
  `address = '127.0.0.2'`,
  `user_agent = 'curl'`,
  `request_id = null`,
  `entry_count = entry_count + 1`,
  `previous_hash = sha256(previous_hash)`,
  `hash = sha256(hash)`,
  `organization_id = 'another1'`,
]

const onRow = (text: string, number: number) =>
  superuser.query(`${text} where organization_id = $1 and number = $2`, [organizationId, number])

/** Computes the hash of an altered entry, so that the entry itself is consistent. */
const rehash = (number: number) =>
  onRow(`update audit_entries set hash = sha256(convert_to(audit_entry_text(audit_entries), 'UTF8'))`, number)

const swap = async (one: number, other: number) => {
  await onRow('update audit_entries set number = -1', one)
  await superuser.query('update audit_entries set number = $3 where organization_id = $1 and number = $2', [
    ...[organizationId, other, one],
  ])
  await superuser.query('update audit_entries set number = $2 where organization_id = $1 and number = -1', [
    ...[organizationId, other],
  ])
}

const tamperings: Readonly<Record<string, () => Promise<unknown>>> = {
  alter: () => onRow(`update audit_entries set ${pick(alterations)}`, randomNumber()),
  'alter and compute the hash': async () => {
    const number = randomNumber()
    await onRow(`update audit_entries set ${pick(alterations.slice(0, 13))}`, number)
    await rehash(number)
  },
  delete: () => onRow('delete from audit_entries', randomNumber()),
  'delete the last ones': () =>
    superuser.query('delete from audit_entries where organization_id = $1 and number >= $2', [
      ...[organizationId, randomNumber()],
    ]),
  reorder: async () => {
    const one = randomNumber()
    await swap(one, (one % ENTRIES) + 1)
  },
  'append a copy': () =>
    superuser.query(
      `insert into audit_entries select (jsonb_populate_record(original, jsonb_build_object('number', $1::int))).*
       from original where number = $2`,
      [ENTRIES + 1, randomNumber()],
    ),
}

describe('verifyEntries', () => {
  it(`finds ${TAMPERINGS} of ${TAMPERINGS} random alterations, deletions and reorderings`, {
    timeout: 300_000,
  }, async () => {
    expect(await verifyEntries(db)).toMatchObject({ checked: ENTRIES, broken: undefined })
    const unnoticed: string[] = []
    for (let round = 0; round < TAMPERINGS; round++) {
      const [name, tamper] = pick(Object.entries(tamperings))
      await tamper()
      if (!(await verifyEntries(db)).broken) unnoticed.push(name)
      await restore()
    }
    expect(unnoticed).toEqual([])
    expect(await verifyEntries(db)).toMatchObject({ checked: ENTRIES, broken: undefined })
  })

  it('finds removed first entries even if the end of the removal is forged', async () => {
    const [last] = await superuser.query<{ hash: Buffer }>('select hash from original where number = 5')
    await superuser.query('delete from audit_entries where organization_id = $1 and number <= 5', [organizationId])
    const anchor = 'update audit_logs set anchor_number = $2, anchor_hash = $3 where organization_id = $1'
    await superuser.query(anchor, [organizationId, 5, last?.hash])
    expect((await verifyEntries(db)).broken).toMatchObject({ number: 5 })
    await superuser.query(anchor, [organizationId, 0, Buffer.alloc(32)])
    await restore()
  })

  it('returns a head that differs from the published one if the last entries and the log were cut consistently', async () => {
    const published = await readHead(db)
    await superuser.query('delete from audit_entries where organization_id = $1 and number > 30', [organizationId])
    await superuser.query(
      `update audit_logs set last_number = 30, last_hash = (select hash from original where number = 30)
       where organization_id = $1`,
      [organizationId],
    )
    const { head, broken } = await verifyEntries(db)
    expect(broken).toBeUndefined()
    expect(head.number).toBeLessThan(published.number)
  })
})
