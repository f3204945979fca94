/** Jobs that failed for good: how long they are kept, and how the operator has them done after all. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { holdOrganization } from '@reelkeep/server/capabilities/holds/holds.ts'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { promiseJob } from '@reelkeep/server/platform/jobs/promise.ts'
import { commandEnvironment, openOwner, root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failing, openStage } from './happenings.ts'

const stage = await opened(openStage('failed_jobs'))
const api = await opened(
  Promise.resolve(
    new Database(
      { url: stage.env.DATABASE_URL, connectionsMax: 4, statementTimeoutSeconds: 10 },
      () => {},
    ),
  ),
)
const owner = await opened(Promise.resolve(openOwner(stage.env)))
const { superuser } = stage

let organizationId: OrganizationId
beforeEach(async () => {
  organizationId = await stage.newOrganizationId()
})
afterEach(async () => {
  await stage.stopWorkers()
  await superuser.query('delete from dbos.workflow_status')
  await superuser.query('truncate happenings')
})

const statuses = async () =>
  (
    await superuser.query<{ status: string }>(
      'select status from dbos.workflow_status where queue_partition_key = $1 order by created_at',
      [organizationId],
    )
  ).map(({ status }) => status)
const statusesSoon = () => expect.poll(statuses, { timeout: 15_000, interval: 50 })

async function failOnce() {
  const worker = await stage.startWorker()
  await promiseJob(api.forOrganization(organizationId), failing, { note: 'sorry' })
  await statusesSoon().toEqual(['SUCCESS', 'SUCCESS', 'ERROR'])
  await worker.stop()
}

const age = (days: number) =>
  superuser.query(
    `update dbos.workflow_status
     set completed_at = (extract(epoch from now()) * 1000)::bigint - $1 * 86400000::bigint`,
    [days],
  )

/** Has a worker tidy up, and waits until it has. */
async function tidyUp() {
  await superuser.query(`update schedules set due_at = now() where name = 'forget-finished-jobs'`)
  const worker = await stage.startWorker()
  const isDone = async () => {
    const text = await (await fetch(`${worker.operationsUrl}/metrics`)).text()
    return /\{schedule="forget-finished-jobs",outcome="done"\} [1-9]/.test(text)
  }
  await expect.poll(isDone, { timeout: 10_000 }).toBe(true)
  await worker.stop()
}

async function admin(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/src/main/admin.ts', ...args],
    {
      cwd: root,
      env: { ...commandEnvironment, ...stage.env },
    },
  )
  return stdout.trim()
}

it('are kept for thirty days, with the attempts before, and are then forgotten together', async () => {
  await failOnce()
  await age(29)
  await tidyUp()
  expect(await statuses()).toEqual(['SUCCESS', 'SUCCESS', 'ERROR'])
  await age(31)
  await tidyUp()
  expect(await statuses()).toEqual([])
})

describe('repeat-failed-jobs', () => {
  it('promises each of them once more, with every attempt, and says how many', async () => {
    await failOnce()
    expect(await admin('repeat-failed-jobs', '--job', 'another')).toBe('repeated=0')
    expect(await admin('repeat-failed-jobs', '--job', 'failing')).toBe('repeated=1')
    expect(await admin('repeat-failed-jobs')).toBe('repeated=0')
    const before = ['SUCCESS', 'SUCCESS', 'CANCELLED']
    expect(await statuses()).toEqual([...before, 'ENQUEUED'])
    await stage.startWorker()
    await statusesSoon().toEqual([...before, 'SUCCESS', 'SUCCESS', 'ERROR'])
    expect(await stage.happenings('sorry')).toHaveLength(6)
  })

  it('includes a job that was given up because it killed its worker too often', async () => {
    await promiseJob(api.forOrganization(organizationId), failing, { note: 'killer' })
    // As the engine leaves it: without its queue.
    await superuser.query(
      `update dbos.workflow_status set status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED', queue_name = null,
         completed_at = (extract(epoch from now()) * 1000)::bigint where queue_partition_key = $1`,
      [organizationId],
    )
    expect(await admin('repeat-failed-jobs')).toBe('repeated=1')
    await stage.startWorker()
    await expect.poll(() => stage.happenings('killer'), { timeout: 10_000 }).toHaveLength(1)
  })

  it('repeats each once, though two operators ask at the same time', async () => {
    const db = api.forOrganization(organizationId)
    for (let index = 0; index < 150; index++) await promiseJob(db, failing, { note: 'many' })
    await superuser.query(
      `update dbos.workflow_status set status = 'ERROR',
         completed_at = (extract(epoch from now()) * 1000)::bigint`,
    )
    const answers = await Promise.all([admin('repeat-failed-jobs'), admin('repeat-failed-jobs')])
    const counts = answers.map((answer) => Number(answer.replace('repeated=', '')))
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(150)
    expect((await statuses()).filter((status) => status === 'ENQUEUED')).toHaveLength(150)
  })

  it('passes over those of an organization that is held, however many, and gets to the others', async () => {
    const heldId = await stage.newOrganizationId()
    const promise = (id: OrganizationId) =>
      promiseJob(api.forOrganization(id), failing, { note: 'held' })
    for (let index = 0; index < 120; index++) await promise(heldId)
    await promise(organizationId)
    await superuser.query(
      `update dbos.workflow_status set status = 'ERROR',
         completed_at = (extract(epoch from now()) * 1000)::bigint`,
    )
    await holdOrganization(owner, heldId)
    expect(await admin('repeat-failed-jobs')).toBe('repeated=1')
    expect(await statuses()).toEqual(['CANCELLED', 'ENQUEUED'])
    const kept = `select from dbos.workflow_status where queue_partition_key = $1 and status = 'ERROR'`
    expect(await superuser.query(kept, [heldId])).toHaveLength(120)
  })
})

describe('retry-failed-assets', () => {
  it('passes over an organization that is held, unless it is named', async () => {
    const ids = [organizationId, await stage.newOrganizationId()]
    for (const id of ids) {
      await superuser.query(
        `insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
           generate_subtitle, bytes, source_key, source_version, source_etag, status, error_code, error_detail)
         values ($1, gen_random_uuid(), 'x', 'x', '{}', '{240p}', 'disable', false, 9, 'key', 'version', 'etag',
           'Error', 'processing_failed', 'It failed.')`,
        [id],
      )
    }
    await holdOrganization(owner, organizationId)
    expect(await admin('retry-failed-assets')).toBe('retried=1')
    await expect(admin('retry-failed-assets', organizationId)).rejects.toThrow('is held')
  })
})
