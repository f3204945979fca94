/**
 * The order in which transactions lock the counters of an organization. Backends share slots, so two transactions would
 * deadlock if they locked the same rows in another order: asset_counts, usage_days, usage_counts.
 */
import { Superuser, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const holder = await opened(Superuser.open())
const writer = await opened(Superuser.open())

const lockAll = (table: string) => `select from ${table} where organization_id = $1 for update`

/** Locks all rows of one counter, starts `write`, and reads which other counters it has locked while it waits. */
async function lockedBefore(table: string, others: readonly string[], id: string, write: () => Promise<unknown>) {
  await superuser.query(
    `insert into asset_counts (organization_id, slot, asset_count)
     select $1, slot, 0 from generate_series(0, 15) as slot on conflict do nothing`,
    [id],
  )
  await superuser.query(
    `insert into usage_days (organization_id, day, slot)
     select $1, (now() at time zone 'utc')::date, slot from generate_series(0, 15) as slot on conflict do nothing`,
    [id],
  )
  await superuser.query(
    `insert into usage_counts (organization_id, month, slot)
     select $1, to_char(now() at time zone 'utc', 'YYYY-MM'), slot from generate_series(0, 15) as slot
     on conflict do nothing`,
    [id],
  )
  await holder.query('begin')
  const [held] = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  await holder.query(lockAll(table), [id])
  const written = write()
  const blocked = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
  await expect.poll(async () => (await superuser.query(blocked, [held?.pid])).length, { timeout: 60_000 }).toBe(1)
  const locked: string[] = []
  for (const other of others) {
    await superuser.query(`${lockAll(other)} nowait`, [id]).catch(() => locked.push(other))
  }
  await holder.query('rollback')
  await written
  return locked
}

it('a change of bytes locks usage_days before usage_counts', async () => {
  const caller = await testApi.newOrganization()
  const { asset } = await uploadAsset(caller)
  const write = () => writer.query('update assets set bytes = bytes + 1 where id = $1', [asset.id])
  expect(await lockedBefore('usage_days', ['usage_counts'], caller.organizationId, write)).toEqual([])
})

it('the deletion of an asset locks asset_counts before the usage', async () => {
  const caller = await testApi.newOrganization()
  const { asset } = await uploadAsset(caller)
  const write = () => caller.delete(`assets/${asset.id}/?permanently=true`)
  const others = ['usage_days', 'usage_counts']
  expect(await lockedBefore('asset_counts', others, caller.organizationId, write)).toEqual([])
  expect((await caller.get(`usage/`)).body).toMatchObject({
    quotas: { assets: { used: 0 }, stored_bytes: { used: 0 } },
  })
})
