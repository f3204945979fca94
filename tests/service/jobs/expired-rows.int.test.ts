/** Tests that expired rows are deleted, also in organizations that send no requests. */
import { WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { openFixture } from './job-fixture.ts'

const fixture = await opened(openFixture('expired_rows'))
const { superuser, env } = fixture

/** Rows that expired $2 ago. */
const inserts = [
  `insert into access_tokens (organization_id, asset_id, id, is_single_use, referrers, networks, expires_at)
   select $1, gen_random_uuid(), gen_random_uuid(), false, '{}', '{}', now() - $2::text::interval from generate_series(1, 1500)`,
  `insert into spent_passes (organization_id, jti, expires_at)
   select $1, $2::text || number, now() - $2::text::interval from generate_series(1, 1500) as number`,
  `insert into invitations (organization_id, id, secret_hash, email, role, expires_at)
   select $1, gen_random_uuid(), sha256(($2::text || number)::bytea), 'a@example.org', 'viewer', now() - $2::text::interval
   from generate_series(1, 5) as number`,
]

const tables = ['access_tokens', 'spent_passes', 'invitations']

async function counts(organizationId: string): Promise<number[]> {
  return Promise.all(
    tables.map(async (table) => {
      const text = `select count(*)::integer as count from ${table} where organization_id = $1`
      const [row] = await superuser.query<{ count: number }>(text, [organizationId])
      return row?.count ?? 0
    }),
  )
}

it('a worker deletes expired access tokens, spent tokens and invitations of idle organizations', async () => {
  const organizationId = await fixture.newOrganizationId()
  await superuser.query('set session_replication_role = replica')
  for (const text of inserts) for (const age of ['8 days', '6 days']) await superuser.query(text, [organizationId, age])
  await using _worker = await WorkerProcess.start({ env })
  await expect.poll(() => counts(organizationId), { interval: 200 }).toEqual([1500, 1500, 5])
})

it('a failed deletion in one organization does not prevent the deletion in others', async () => {
  const ids = [await fixture.newOrganizationId(), await fixture.newOrganizationId()]
  // The schedule reads the organizations in this order.
  const rows = await superuser.query<{ id: string }>('select id from organizations where id = any($1) order by id', [
    ids,
  ])
  const [failing = '', other = ''] = rows.map(({ id }) => id)
  await superuser.query('set session_replication_role = replica')
  for (const id of ids) for (const text of inserts) await superuser.query(text, [id, '8 days'])
  await superuser.query(`create function refuse() returns trigger language plpgsql as 'begin raise ''refused''; end'`)
  await superuser.query(
    `create trigger refuse before delete on access_tokens for each row
     when (old.organization_id = '${failing}') execute function refuse()`,
  )
  await superuser.query(`update schedules set due_at = now() where name = 'delete-expired-rows'`)
  await using _worker = await WorkerProcess.start({ env })
  await expect.poll(() => counts(other), { interval: 200 }).toEqual([0, 0, 0])
  expect((await counts(failing))[0]).toBe(1500)
  await superuser.query('drop trigger refuse on access_tokens')
})

it('a worker deletes the leases of workers that ended more than a day ago', async () => {
  await superuser.query(
    `insert into worker_leases (worker_id, seen_at, steady_since, queues, lease_seconds)
     select worker, now() - age, now() - age, '{}', 20
     from (values ('ended long ago', interval '25 hours'), ('ended today', interval '23 hours')) as ended (worker, age)`,
  )
  await using _worker = await WorkerProcess.start({ env })
  const ended = async () => {
    const rows = await superuser.query<{ id: string }>(
      `select worker_id as id from worker_leases where worker_id like 'ended %'`,
    )
    return rows.map(({ id }) => id)
  }
  await expect.poll(ended, { interval: 200 }).toEqual(['ended today'])
})
