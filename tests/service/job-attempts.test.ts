/** A job that fails is tried again: nobody waits for its pauses, and no crash loses, doubles or forgets an attempt. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { promiseJob } from '@reelkeep/server/platform/jobs/promise.ts'
import { Superuser, type WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endless, failing, noting, openStage, patient } from './happenings.ts'

const stage = await opened(openStage('job_attempts'))
const { api, superuser } = stage

let organizationId: OrganizationId
const db = () => api.forOrganization(organizationId)
beforeEach(async () => {
  organizationId = await stage.newOrganizationId()
  await superuser.query('truncate happenings')
})
afterEach(async () => {
  await superuser.query('delete from dbos.workflow_status')
})

/** The worker that all have in common; one that was killed is followed by another of the name asked for. */
let common: WorkerProcess | undefined
async function working(id = 'slot-3'): Promise<WorkerProcess> {
  common ??= await stage.startWorker({ WORKER_ID: id })
  return common
}
async function killWorker(): Promise<void> {
  const killed = common
  common = undefined
  await killed?.stop('SIGKILL')
}

const seen = async (what: string) => (await stage.happenings(what)).length
const soon = (what: string, timeout = 10_000) =>
  expect.poll(() => seen(what), { timeout, interval: 50 })

/** The attempts at a job, by what became of each. */
async function attempts(id: string): Promise<Record<string, string>> {
  const rows = await superuser.query<{ id: string; status: string }>(
    `select substr(workflow_uuid, length($1) + 2) as id, status from dbos.workflow_status
     where queue_partition_key = $1 order by created_at`,
    [organizationId],
  )
  return Object.fromEntries(
    rows.filter((row) => row.id.startsWith(id)).map((row) => [row.id.slice(id.length), row.status]),
  )
}
const attemptsSoon = (id: string, timeout = 15_000) =>
  expect.poll(() => attempts(id), { timeout, interval: 50 })

/** The same, and those who wait for their next attempt need wait no longer. */
async function hurried(id: string) {
  await superuser.query(
    `update dbos.workflow_status set delay_until_epoch_ms = 0 where status = 'DELAYED'`,
  )
  return attempts(id)
}

const allFailed = { '': 'SUCCESS', '/2': 'SUCCESS', '/3': 'ERROR' }

describe('an attempt that takes longer than it may', () => {
  it.each([
    ['hears its signal', false, 0],
    ['does not, and ends late', true, 2],
  ])(
    'has failed, whether it %s',
    async (_, isDeaf, endings) => {
      const worker = await working()
      await promiseJob(db(), endless, { note: 'late', isDeaf }, { id: 'late' })
      await attemptsSoon('endless/late').toEqual({ '': 'SUCCESS', '/2': 'ERROR' })
      expect(await seen('late begun')).toBe(2)
      const told = worker.log.split('\n').filter((line) => line.includes(organizationId))
      expect(told.join('\n')).toContain('endless took longer than 1 s')
      // One that does not listen goes on until it ends by itself, and that changes nothing.
      await soon('late ended').toBe(endings)
      expect(await attempts('endless/late')).toEqual({ '': 'SUCCESS', '/2': 'ERROR' })
    },
    30_000,
  )
})

/** Postgres refuses the promise of one second attempt, once, as it does when it is too slow. */
const refusal = {
  begin: `
    create sequence refusals;
    create function refuse_once() returns trigger language plpgsql security definer as $$ begin
      if new.workflow_uuid like '%/hindered/2' and nextval('public.refusals') = 1 then
        raise exception using errcode = 'query_canceled', message = 'canceling statement due to statement timeout';
      end if;
      return new;
    end $$;
    create trigger refuse_once before insert on dbos.workflow_status for each row execute function refuse_once()`,
  end: `
    drop trigger refuse_once on dbos.workflow_status;
    drop function refuse_once;
    drop sequence refusals`,
}

describe('an attempt that failed and whose successor could not be promised', () => {
  it('is followed by it all the same, and not made again', async () => {
    await superuser.query(refusal.begin)
    try {
      await working()
      await promiseJob(db(), failing, { note: 'hindered' }, { id: 'hindered' })
      await attemptsSoon('failing/hindered', 30_000).toEqual(allFailed)
      expect(await seen('hindered')).toBe(3)
    } finally {
      await superuser.query(refusal.end)
    }
  })
})

describe('jobs that wait for their next attempt', () => {
  it('hold up nobody: with 40 of them, another organization’s job starts before any of them is tried again', async () => {
    await working()
    for (const hoarder of [db(), api.forOrganization(await stage.newOrganizationId())]) {
      for (let index = 0; index < 20; index++) {
        await promiseJob(hoarder, patient, { note: 'unlucky' })
      }
    }
    await soon('unlucky').toBeGreaterThanOrEqual(32)
    await promiseJob(api.forOrganization(await stage.newOrganizationId()), noting, { note: 'next' })
    await soon('next').toBe(1)
    await soon('unlucky').toBe(40)
  })

  it('still bear their id: a second promise does not count', async () => {
    await working()
    await promiseJob(db(), failing, { note: 'same' }, { id: 'same' })
    await soon('same').toBe(1)
    await promiseJob(db(), failing, { note: 'same' }, { id: 'same' })
    await attemptsSoon('failing/same').toEqual(allFailed)
    await promiseJob(db(), failing, { note: 'same' }, { id: 'same' })
    await sleep(1500)
    expect(await seen('same')).toBe(3)
  })

  it('cannot be mistaken for another job: an id has no slash', async () => {
    await expect(promiseJob(db(), failing, { note: '' }, { id: 'same/2' })).rejects.toThrow('slash')
  })
})

describe('kill -9', () => {
  it('in the pause: another worker makes the attempts that are left, and no more', async () => {
    await working()
    await promiseJob(db(), patient, { note: 'paused' }, { id: 'paused' })
    await attemptsSoon('patient/paused').toEqual({ '': 'SUCCESS', '/2': 'DELAYED' })
    await killWorker()
    const survivor = await working('slot-4')
    await expect.poll(() => hurried('patient/paused'), { timeout: 15_000 }).toEqual(allFailed)
    expect(await seen('paused')).toBe(3)
    await expect.poll(() => survivor.log).toContain('"msg":"a job failed for good"')
  })

  it('between an attempt that failed and the promise of the next: nothing is lost, done again or doubled', async () => {
    await using blocker = await Superuser.open(stage.env)
    await blocker.query('begin')
    // Whoever wants to promise the second attempt waits for this one to commit or not.
    await blocker.query(`insert into dbos.workflow_status (workflow_uuid) values ($1)`, [
      `${organizationId}/failing/between/2`,
    ])
    const doomed = await working('slot-4')
    await promiseJob(db(), failing, { note: 'between' }, { id: 'between' })
    const told = () => doomed.log.split('\n').filter((line) => line.includes(organizationId))
    await expect
      .poll(() => told().join('\n'), { timeout: 10_000 })
      .toContain('"msg":"an attempt at a job failed"')
    await sleep(500)
    await killWorker()
    await blocker.query('rollback')
    expect(await attempts('failing/between')).toEqual({ '': 'PENDING' })
    await working('slot-4')
    await attemptsSoon('failing/between').toEqual(allFailed)
    expect(await seen('between')).toBe(3)
  })

  it('between the promise of the next and the note that this one is over: the same', async () => {
    await working('slot-4')
    await promiseJob(db(), patient, { note: 'noted' }, { id: 'noted' })
    await attemptsSoon('patient/noted').toEqual({ '': 'SUCCESS', '/2': 'DELAYED' })
    await killWorker()
    await superuser.query(
      `update dbos.workflow_status set status = 'PENDING', completed_at = null where workflow_uuid = $1`,
      [`${organizationId}/patient/noted`],
    )
    await working('slot-4')
    await expect.poll(() => hurried('patient/noted'), { timeout: 15_000 }).toEqual(allFailed)
    expect(await seen('noted')).toBe(3)
  })
})
