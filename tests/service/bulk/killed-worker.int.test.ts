/** Kills a real worker in the middle of a batch. Each asset must be changed exactly once. */
import type { bulkOperations } from '@reelkeep/contract'
import {
  fastWorkerSettings,
  resetDatabase,
  Superuser,
  stackEnv,
  TestApi,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

type Operation = bulkOperations.BulkOperation

const env = withDatabase(stackEnv(), 'bulk_killed_worker')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const superuser = await opened(Superuser.open(env))
const caller = await testApi.newOrganization()

const startWorker = (id: string) => WorkerProcess.start({ env, settings: { ...fastWorkerSettings, WORKER_ID: id } })

/** Assets of three batches. */
const ASSETS = 1300
const insert = `
  insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
    generate_subtitle)
  select $1, gen_random_uuid(), 'x', 'x', '{}', '{240p}', 'disable', false from generate_series(1, ${ASSETS})
  returning id`

const isWaitingFor = 'select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'

it('a worker that is killed during a batch neither repeats nor skips an asset', async () => {
  const assets = await superuser.query<{ id: string }>(insert, [caller.organizationId])
  const ids = assets.map(({ id }) => id).sort()
  const { id } = (await caller.post<Operation>('bulk-operations/', { action: 'add_tags', filter: {}, tags: ['a'] }))
    .body
  const operation = async () => (await caller.get<Operation>(`bulk-operations/${id}/`)).body
  await using holder = await Superuser.open(env)
  await holder.query('begin')
  // The second batch waits for its last asset, after it has locked the others.
  await holder.query('select from assets where organization_id = $1 and id = $2 for update', [
    caller.organizationId,
    ids[999],
  ])
  const [backend] = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  const doomed = await startWorker('doomed')
  await expect.poll(() => superuser.query(isWaitingFor, [backend?.pid]), { interval: 50 }).toHaveLength(1)
  expect((await operation()).progress).toEqual({ total: ASSETS, done: 500, failed: 0 })
  await doomed.stop('SIGKILL')
  await holder.query('rollback')
  await superuser.query(`update worker_leases set seen_at = now() - interval '1 hour' where worker_id = 'doomed'`)
  await using _survivor = await startWorker('survivor')
  await expect.poll(async () => (await operation()).status, { interval: 100 }).toBe('Completed')
  expect((await operation()).progress).toEqual({ total: ASSETS, done: ASSETS, failed: 0 })
  await caller.get('events/')
  const counted = await superuser.query(
    `select count(*)::int as events, count(distinct asset_id)::int as assets from events
     where organization_id = $1 and type = 'asset.updated'`,
    [caller.organizationId],
  )
  expect(counted).toEqual([{ events: ASSETS, assets: ASSETS }])
  expect((await caller.get<{ count: number }>('assets/?tag=a')).body.count).toBe(ASSETS)
})
