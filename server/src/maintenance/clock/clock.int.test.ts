import {
  newOrganization,
  openDatabase,
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'
import { makeLateRowsDue } from './clock.store.ts'

const env = withDatabase(stackEnv(), 'clock_rows')
await resetDatabase(env)
const superuser = await opened(Superuser.open(env))
const owner = await opened(Promise.resolve(openOwner(env)))
const worker = await opened(Promise.resolve(openDatabase(env.DATABASE_WORKER_URL)))

// No triggers and foreign keys: the rows have no assets.
await superuser.query('set session_replication_role = replica')

/** Statements that insert a row of the organization $1 that is due in $2. */
const inserts = {
  upload_sessions: `
    insert into upload_sessions (organization_id, uuid, asset_id, max_file_size_bytes, expires_at, closes_at, look_at)
    values ($1, gen_random_uuid(), gen_random_uuid(), 1, now(), now(), now() + $2::interval)`,
  webhook_deliveries: `
    insert into webhook_deliveries
      (organization_id, webhook_id, number, numbered_at, event_id, type, subject, due_at)
    values ($1, gen_random_uuid(), 1, now(), gen_random_uuid(), 'asset.created', 'subject', now() + $2::interval)`,
  webhooks: `
    insert into webhooks (organization_id, id, url, description, types, secret, secret_key_id, rests_until, due_at)
    values ($1, gen_random_uuid(), 'https://example.org', '', '{}', '', '', now() + $2::interval, now() + $2::interval)`,
  published_files: `
    insert into published_files (organization_id, asset_id, prefix, names, bytes, md5, damaged, repair_due_at)
    values ($1, gen_random_uuid(), 'prefix', '{}', '{}', '', '{one}', now() + $2::interval)`,
}
const dueColumns = {
  upload_sessions: 'look_at',
  webhook_deliveries: 'due_at',
  webhooks: 'greatest(due_at, rests_until)',
  published_files: 'repair_due_at',
}
type Table = keyof typeof inserts
const tables = Object.keys(inserts) as Table[]

let organizationId: string
beforeEach(async () => {
  organizationId = (await newOrganization(owner)).organizationId
  await superuser.query(`truncate ${tables.join()} cascade`)
  await superuser.query('truncate held_organizations')
})

const insert = (table: Table, dueIn: string) => superuser.query(inserts[table], [organizationId, dueIn])

/** As if the clock had been set back by an hour since it was read. */
const setBack = () => superuser.query(`update database_clock set latest = clock_timestamp() + interval '1 hour'`)

async function countDue(table: Table): Promise<number> {
  const [row] = await superuser.query<{ count: number }>(
    `select count(*)::integer as count from ${table} where ${dueColumns[table]} <= now()`,
  )
  return row?.count ?? 0
}

it.each(tables)('%s that would wait for the clock to reach its earlier time are due at once', async (table) => {
  for (const dueIn of ['-1 minute', '30 minutes', '61 minutes', '119 minutes', '3 hours']) await insert(table, dueIn)
  expect(await countDue(table)).toBe(1)
  await setBack()
  expect(await makeLateRowsDue(worker, 100)).toEqual({ rows: 3, hasMore: false })
  expect(await countDue(table)).toBe(4)
})

it.each(tables)('%s are not due earlier if the clock was not set back, or once it was followed', async (table) => {
  await insert(table, '30 minutes')
  expect(await makeLateRowsDue(worker, 100)).toEqual({ rows: 0, hasMore: false })
  await setBack()
  await makeLateRowsDue(worker, 100)
  await insert(table, '30 minutes')
  expect(await makeLateRowsDue(worker, 100)).toEqual({ rows: 0, hasMore: false })
  expect(await countDue(table)).toBe(1)
})

it('more rows than one statement changes are changed by the next ones', async () => {
  for (const table of tables) for (let row = 0; row < 3; row++) await insert(table, '30 minutes')
  await setBack()
  expect(await makeLateRowsDue(worker, 2)).toEqual({ rows: 8, hasMore: true })
  expect(await makeLateRowsDue(worker, 2)).toEqual({ rows: 4, hasMore: false })
  for (const table of tables) expect(await countDue(table)).toBe(3)
})

it('rows of a suspended organization are not changed', async () => {
  for (const table of tables) await insert(table, '30 minutes')
  await superuser.query(`insert into held_organizations (organization_id, why) values ($1, 'operator')`, [
    organizationId,
  ])
  await setBack()
  expect(await makeLateRowsDue(worker, 100)).toEqual({ rows: 0, hasMore: false })
})
