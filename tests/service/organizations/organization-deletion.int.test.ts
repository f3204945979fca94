/** Deletes an organization that has rows in every table, objects in both buckets, and jobs. Uses its own database. */
import type { Problem } from '@reelkeep/contract'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { administer } from '@reelkeep/server/main/admin.ts'
import {
  cancelDeletion,
  deleteOrganization,
  purgeDeletedOrganizations,
} from '@reelkeep/server/modules/organization-deletion/organization-deletion.ts'
import { resumeOrganization, suspendOrganization } from '@reelkeep/server/modules/suspension/suspension.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import {
  assetToken,
  type Caller,
  fastWorkerSettings,
  Objects,
  openDatabase,
  openOwner,
  openSession,
  Publisher,
  resetDatabase,
  runInProcess,
  Superuser,
  stackEnv,
  TestApi,
  uploadAsset,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { fillTables } from './filled-organization.ts'

const env = withDatabase(stackEnv(), 'organization_deletion')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const superuser = await opened(Superuser.open(env))
const owner = await opened(Promise.resolve(openOwner(env)))
const worker = await opened(Promise.resolve(openDatabase(env.DATABASE_WORKER_URL)))
const publisher = await opened(Publisher.open(env))
const buckets = ['reelkeep-uploads', 'reelkeep-media'].map((name) => new Objects(env, name))

let caller: Caller
let id: OrganizationId
beforeEach(async () => {
  caller = await testApi.newOrganization()
  id = caller.organizationId as OrganizationId
})

const tenantTables = `
  select oid::regclass::text as name, case relname when 'organizations' then 'id' else 'organization_id' end as owning
  from pg_class as relation
  where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
    and (relname = 'organizations' or exists (
      select from pg_attribute where attrelid = relation.oid and attname = 'organization_id'))
  order by relname`

/** Number of rows of an organization in each table. */
async function rowsOf(organizationId: string): Promise<Record<string, number>> {
  const tables = await superuser.query<{ name: string; owning: string }>(tenantTables)
  const counts: Record<string, number> = {}
  for (const { name, owning } of tables) {
    const text = `select count(*)::int as count from ${name} where ${owning} = $1`
    const [row] = await superuser.query<{ count: number }>(text, [organizationId])
    counts[name] = row?.count ?? 0
  }
  return counts
}

/** Whether the id occurs anywhere in a table without a column for the organization, as text. */
async function tracesOf(organizationId: string): Promise<string[]> {
  const tables = await superuser.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const text = `select from ${name} as one where strpos(one::text, $1) > 0 limit 1`
    if ((await superuser.query(text, [organizationId])).length > 0) found.push(name)
  }
  return found
}

const objectsOf = async (organizationId: string) =>
  (await Promise.all(buckets.map((bucket) => bucket.versions(`${organizationId}/`)))).map((versions) => versions.length)

const jobsOf = async (organizationId: string) =>
  (await superuser.query('select from dbos.workflow_status where queue_partition_key = $1', [organizationId])).length

/** The state of an organization that stays. The API adds its requests to usage_days at any time. */
async function keptStateOf(organizationId: string) {
  const state = await stateOf(organizationId)
  return { ...state, rows: { ...state.rows, usage_days: 'some' } }
}

const stateOf = async (organizationId: string) => ({
  rows: await rowsOf(organizationId),
  objects: await objectsOf(organizationId),
  jobs: await jobsOf(organizationId),
})

type Bucket = { deleteAll: (prefix: string) => Promise<boolean> }

const purge = async (more: { signal?: AbortSignal; buckets?: readonly Bucket[]; formSecondsMax?: number } = {}) => {
  const purged: string[] = []
  const failures: unknown[] = []
  await purgeDeletedOrganizations(worker, {
    buckets: [testApi.context.uploads.bucket, testApi.context.media],
    formSecondsMax: 0,
    signal: new AbortController().signal,
    onPurged: (organizationId) => purged.push(organizationId),
    onFailure: (error) => failures.push(error),
    ...more,
  })
  expect(failures).toEqual([])
  return purged
}

const remove = (options: { graceDays?: number; ignoresHolds?: boolean } = {}) =>
  deleteOrganization(owner, id, { graceDays: 0, ignoresHolds: false, ...options })

const statusOf = async () => {
  testApi.context.tokenCache.invalidate(id)
  const { status, body } = await caller.get<Problem>('assets/')
  return status === 200 ? status : body.code
}

describe('a deleted organization', () => {
  it('leaves no row, object, job or key, and other organizations have what they had', async () => {
    const other = await testApi.newOrganization()
    for (const each of [caller, other]) await fillTables(each, { superuser, publisher, owner })
    const before = await stateOf(id)
    const empty = Object.entries(before.rows).filter(([name, count]) => count === 0 && name !== 'held_organizations')
    // A new table needs rows in fillTables, so that this test shows that they are deleted.
    expect(empty).toEqual([])
    expect(before.objects.every((count) => count > 0) && before.jobs > 0).toBe(true)
    const others = await keptStateOf(other.organizationId)

    await remove()
    expect(await purge()).toEqual([id])

    const nothing = Object.fromEntries(Object.keys(before.rows).map((name) => [name, 0]))
    expect(await stateOf(id)).toEqual({ rows: nothing, objects: [0, 0], jobs: 0 })
    expect(await tracesOf(id)).toEqual([])
    expect(await keptStateOf(other.organizationId)).toEqual(others)
    expect((await other.get('assets/')).status).toBe(200)
    expect(await statusOf()).toBe('unauthenticated')
  })

  it('is purged by later runs if a run is stopped or fails at any point, also by two workers at once', async () => {
    await fillTables(caller, { superuser, publisher, owner })
    await remove()
    const stop = new AbortController()
    const { bucket } = testApi.context.uploads
    const stopping = {
      deleteAll: (prefix: string) => {
        stop.abort()
        return bucket.deleteAll(prefix)
      },
    }
    await purge({ signal: stop.signal, buckets: [stopping] })
    expect((await rowsOf(id))['assets']).toBeGreaterThan(0)
    await Promise.all([purge(), purge()])
    await purge()
    expect(await tracesOf(id)).toEqual([])
  })

  it('waits for running jobs, and for forms with which files could still arrive', async () => {
    await enqueueJob(owner.forOrganization(id), { name: 'a-job', queue: 'light' }, { input: {} })
    const ofOrganization = 'where queue_partition_key = $1'
    await superuser.query(`update dbos.workflow_status set status = 'PENDING' ${ofOrganization}`, [id])
    await remove()
    expect(await purge()).toEqual([])
    expect((await rowsOf(id))['tokens']).toBe(1)
    await superuser.query(`update dbos.workflow_status set status = 'DELAYED' ${ofOrganization}`, [id])
    expect(await purge({ formSecondsMax: 3600 })).toEqual([])
    expect(await rowsOf(id)).toMatchObject({ tokens: 0, organizations: 0, held_organizations: 1 })
    await publisher.put(`${id}/late`, 'a file')
    expect(await purge()).toEqual([id])
    expect(await objectsOf(id)).toEqual([0, 0])
  })

  it('is refused at once like one that never existed, and returns to service if the deletion is cancelled', async () => {
    const { asset } = await openSession(caller)
    const purgeAt = await remove({ graceDays: 7 })
    expect(Date.parse(purgeAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect(await statusOf()).toBe('unauthenticated')
    expect(await purge()).toEqual([])
    await expect(remove()).rejects.toThrow('is being deleted')
    expect(await resumeOrganization(owner, id)).toBe(false)
    await cancelDeletion(owner, id)
    expect(await statusOf()).toBe(200)
    expect((await caller.get(`assets/${asset.id}/`)).status).toBe(200)
    await expect(cancelDeletion(owner, id)).rejects.toThrow('is not being deleted')
  })

  it('is not played any more, also by viewers with a playback token', async () => {
    const { asset } = await uploadAsset(caller)
    await fillTables(caller, { superuser, publisher, owner })
    const [place] = await superuser.query<{ asset_id: string }>(
      'select asset_id from rendition_parts where organization_id = $1',
      [id],
    )
    const token = assetToken(testApi.context.tokenIssuer, { organizationId: id, assetId: place?.asset_id ?? asset.id })
    const path = `/play/${token}/${id}/${place?.asset_id}/video-encode-1/240p/00000.m4s`
    const play = async () => (await testApi.send({ method: 'GET', path, headers: {}, body: undefined })).status
    expect(await play()).toBe(200)
    await remove({ graceDays: 7 })
    await expect.poll(play, { timeout: 60_000 }).not.toBe(200)
    expect(await play()).toBe(403)
  })

  it('cannot be cancelled once its purge is due', async () => {
    await remove()
    await expect(cancelDeletion(owner, id)).rejects.toThrow('is being purged already')
    expect(await purge()).toEqual([id])
  })

  it('may have been suspended by the operator before', async () => {
    await suspendOrganization(owner, id)
    await remove()
    expect(await purge()).toEqual([id])
  })
})

it('a worker that is killed during the purge is continued by another one', async () => {
  const other = await testApi.newOrganization()
  for (const organizationId of [id, other.organizationId]) {
    await superuser.query(
      `insert into folders (organization_id, uuid, title, search_title, grams)
       select $1, lpad(translate(number::text, '0', 'z'), 11, 'a'), 'x', 'x', '{}' from generate_series(1, 20000) as number`,
      [organizationId],
    )
  }
  // Moves the events to the log, as the worker would do.
  await other.get('events/')
  const others = await keptStateOf(other.organizationId)
  await remove()
  // No form can be used any more.
  await superuser.query(`update held_organizations set since = now() - interval '30 days' where organization_id = $1`, [
    id,
  ])
  const folders = async () => (await rowsOf(id))['folders'] ?? 0
  const first = await WorkerProcess.start({ env, settings: fastWorkerSettings })
  await expect.poll(folders, { interval: 5, timeout: 60_000 }).toBeLessThan(20_000)
  await first.stop('SIGKILL')
  expect(await rowsOf(id)).toMatchObject({ held_organizations: 1 })
  await superuser.query("update worker_leases set seen_at = seen_at - interval '1 hour'")
  await using _second = await WorkerProcess.start({ env, settings: fastWorkerSettings })
  await expect.poll(() => tracesOf(id), { timeout: 120_000 }).toEqual([])
  expect(await keptStateOf(other.organizationId)).toEqual(others)
}, 240_000)

describe('a legal hold', () => {
  it('refuses the deletion of the organization unless the operator confirms it, and keeps it in service', async () => {
    const { asset } = await uploadAsset(caller)
    const { body: folder } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Evidence' })
    await caller.patch(`assets/${asset.id}/`, { legal_hold: true })
    await caller.patch(`assets/folders/${folder.uuid}/`, { legal_hold: true })
    await expect(remove()).rejects.toThrow('1 assets and 1 folders under legal hold')
    expect(await statusOf()).toBe(200)
    expect((await caller.patch(`assets/${asset.id}/`, { title: 'still writable' })).status).toBe(200)
    await remove({ ignoresHolds: true })
    expect(await purge()).toEqual([id])
    expect(await tracesOf(id)).toEqual([])
  })
})

describe('admin delete-organization', () => {
  const admin = (...args: string[]) => runInProcess((io) => administer(['delete-organization', ...args], io), env)

  it('deletes after seven days unless days are given, and can be cancelled', async () => {
    const { output, code } = await admin('--confirm', id, '--json')
    expect([code, JSON.parse(output)]).toEqual([0, { deleted: id, purged_at: expect.any(String) }])
    expect(Date.parse(JSON.parse(output).purged_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect(await statusOf()).toBe('unauthenticated')
    expect((await admin('--cancel', id)).code).toBe(0)
    expect(await statusOf()).toBe(200)
    expect((await admin('--confirm', id, '--now')).code).toBe(0)
    expect(await purge()).toEqual([id])
    expect((await admin('--confirm', id)).error).toContain('does not exist')
  })

  it('needs the id, a valid number of days, and a confirmation for legal holds', async () => {
    expect((await admin()).error).toContain('--confirm is missing')
    expect((await admin('--confirm', id, '--days', '366')).error).toContain('from 0 to 365')
    const { asset } = await openSession(caller)
    await caller.patch(`assets/${asset.id}/`, { legal_hold: true })
    expect((await admin('--confirm', id)).error).toContain('--despite-legal-hold')
    expect(await statusOf()).toBe(200)
    expect((await admin('--confirm', id, '--despite-legal-hold')).code).toBe(0)
  })
})

it('the worker cannot purge an organization that is not deleted', async () => {
  const call = { name: '', text: 'select purge_organization_rows($1, 1) as deleted', values: () => [id] }
  expect(await worker.runUnscoped(call)).toEqual([{ deleted: null }])
  await suspendOrganization(owner, id)
  expect(await worker.runUnscoped(call)).toEqual([{ deleted: null }])
  await resumeOrganization(owner, id)
  expect(await statusOf()).toBe(200)
})
