/** Tests how long permanently failed jobs are kept, and how the operator retries them. */

import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { administer } from '@reelkeep/server/main/admin.ts'
import { suspendOrganization } from '@reelkeep/server/modules/suspension/suspension.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { openOwner, runInProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failing, openFixture } from './job-fixture.ts'

const fixture = await opened(openFixture('failed_jobs'))
const owner = await opened(Promise.resolve(openOwner(fixture.env)))
const { api, superuser } = fixture

let organizationId: OrganizationId
beforeEach(async () => {
  organizationId = await fixture.newOrganizationId()
})
afterEach(async () => {
  await fixture.stopWorkers()
  await superuser.query('delete from dbos.workflow_status')
  await superuser.query('truncate records')
})

const statuses = async () =>
  (
    await superuser.query<{ status: string }>(
      'select status from dbos.workflow_status where queue_partition_key = $1 order by created_at',
      [organizationId],
    )
  ).map(({ status }) => status)
const statusesSoon = () => expect.poll(statuses, { interval: 50 })

async function failOnce() {
  const worker = await fixture.startWorker()
  await enqueueJob(api.forOrganization(organizationId), failing, { input: { note: 'sorry' } })
  await statusesSoon().toEqual(['SUCCESS', 'SUCCESS', 'ERROR'])
  await worker.stop()
}

const age = (days: number) =>
  superuser.query(
    `update dbos.workflow_status
     set completed_at = (extract(epoch from now()) * 1000)::bigint - $1 * 86400000::bigint`,
    [days],
  )

/** Triggers the deletion of old jobs and waits for it. */
async function deleteOldJobs() {
  await superuser.query(`update schedules set due_at = now() where name = 'delete-finished-jobs'`)
  const worker = await fixture.startWorker()
  const isDone = async () => {
    const text = await (await fetch(`${worker.operationsUrl}/metrics`)).text()
    return /\{schedule="delete-finished-jobs",outcome="done"\} [1-9]/.test(text)
  }
  await expect.poll(isDone, { interval: 50 }).toBe(true)
  await worker.stop()
}

async function admin(...args: string[]): Promise<string> {
  const { code, output, error } = await runInProcess((io) => administer(args, io), fixture.env)
  if (code !== 0) throw new Error(error)
  return output.trim()
}

it('failed jobs are kept for thirty days, and deleted together with their earlier attempts', async () => {
  await failOnce()
  await age(29)
  await deleteOldJobs()
  expect(await statuses()).toEqual(['SUCCESS', 'SUCCESS', 'ERROR'])
  await age(31)
  await deleteOldJobs()
  expect(await statuses()).toEqual([])
})

describe('retry-failed-jobs', () => {
  it('enqueues each failed job once more, with all its attempts, and prints the number of jobs', async () => {
    await failOnce()
    expect(await admin('retry-failed-jobs', '--job', 'another')).toBe('retried=0')
    expect(await admin('retry-failed-jobs', '--job', 'failing')).toBe('retried=1')
    expect(await admin('retry-failed-jobs')).toBe('retried=0')
    const before = ['SUCCESS', 'SUCCESS', 'CANCELLED']
    expect(await statuses()).toEqual([...before, 'ENQUEUED'])
    await fixture.startWorker()
    await statusesSoon().toEqual([...before, 'SUCCESS', 'SUCCESS', 'ERROR'])
    expect(await fixture.records('sorry')).toHaveLength(6)
  })

  it('includes a job that was given up because it killed too many workers', async () => {
    await enqueueJob(api.forOrganization(organizationId), failing, { input: { note: 'killer' } })
    // Simulates the state in which the engine leaves a job that it gives up: without a queue.
    await superuser.query(
      `update dbos.workflow_status set status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED', queue_name = null,
         completed_at = (extract(epoch from now()) * 1000)::bigint where queue_partition_key = $1`,
      [organizationId],
    )
    expect(await admin('retry-failed-jobs')).toBe('retried=1')
    await fixture.startWorker()
    await expect.poll(() => fixture.records('killer')).not.toHaveLength(0)
  })

  it('retries each job once, even if two operators run it at the same time', async () => {
    const db = api.forOrganization(organizationId)
    for (let index = 0; index < 150; index++) await enqueueJob(db, failing, { input: { note: 'many' } })
    await superuser.query(
      `update dbos.workflow_status set status = 'ERROR',
         completed_at = (extract(epoch from now()) * 1000)::bigint`,
    )
    const answers = await Promise.all([admin('retry-failed-jobs'), admin('retry-failed-jobs')])
    const counts = answers.map((answer) => Number(answer.replace('retried=', '')))
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(150)
    expect((await statuses()).filter((status) => status === 'ENQUEUED')).toHaveLength(150)
  })

  it('skips the jobs of suspended organizations, even if there are many, and retries the others', async () => {
    const suspendedId = await fixture.newOrganizationId()
    const enqueue = (id: OrganizationId) =>
      enqueueJob(api.forOrganization(id), failing, { input: { note: 'suspended' } })
    for (let index = 0; index < 120; index++) await enqueue(suspendedId)
    await enqueue(organizationId)
    await superuser.query(
      `update dbos.workflow_status set status = 'ERROR',
         completed_at = (extract(epoch from now()) * 1000)::bigint`,
    )
    await suspendOrganization(owner, suspendedId)
    expect(await admin('retry-failed-jobs')).toBe('retried=1')
    expect(await statuses()).toEqual(['CANCELLED', 'ENQUEUED'])
    const kept = `select from dbos.workflow_status where queue_partition_key = $1 and status = 'ERROR'`
    expect(await superuser.query(kept, [suspendedId])).toHaveLength(120)
  })
})

describe('retry-failed-assets', () => {
  /** The ids of the assets begin with this digit. */
  const insertFailed = (id: string, firstDigit: string, { count = 1, hasFile = true } = {}) =>
    superuser.query(
      `insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
         generate_subtitle, bytes, source_key, source_version, source_etag, status, error_code, error_detail)
       select $1, overlay(gen_random_uuid()::text placing $2 from 1 for 1)::uuid, 'x', 'x', '{}', '{240p}', 'disable',
         false, bytes, key, key, key, 'Error', 'processing_failed', 'It failed.'
       from generate_series(1, $3::integer),
         (select case when $4 then 9 end as bytes, case when $4 then 'key' end as key) as source`,
      [id, firstDigit, count, hasFile],
    )

  it('skips suspended organizations, and fails if a suspended organization is named', async () => {
    const ids = [organizationId, await fixture.newOrganizationId()]
    for (const id of ids) await insertFailed(id, '1')
    await suspendOrganization(owner, organizationId)
    expect(await admin('retry-failed-assets')).toBe('retried=1')
    await expect(admin('retry-failed-assets', organizationId)).rejects.toThrow('is held')
  })

  it('retries an asset that comes after a full page of assets that cannot be retried', async () => {
    await insertFailed(organizationId, '1', { count: 100, hasFile: false })
    await insertFailed(organizationId, '2')
    expect(await admin('retry-failed-assets', organizationId)).toBe('retried=1')
  })
})
