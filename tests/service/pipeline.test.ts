/** How the processing of a video goes, by real worker processes: it is cancelled, deleted, retried, and fails. */
import type { Caller, WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { failuresOf, openPipelineStage, statusOf, toldOf } from './pipeline-stage.ts'

const stage = await opened(openPipelineStage('pipelines'))

let caller: Caller
beforeEach(async () => {
  caller = await stage.newOrganization()
})

/** The worker that all have in common, until one of them kills it. */
let worker: { readonly id: string; readonly process: WorkerProcess } | undefined
async function working(id = 'first') {
  worker ??= { id, process: await stage.startWorker({ WORKER_ID: id }) }
  return worker
}

/** As `kill -9` leaves things. Answers how the worker was called. */
async function killWorker(): Promise<string> {
  const { id, process } = await working()
  worker = undefined
  await process.stop('SIGKILL')
  return id
}

/** What the log tells of the steps of an asset. */
async function logOf(assetId: string): Promise<string> {
  const lines = (await working()).process.log.split('\n')
  return lines.filter((line) => line.includes(assetId)).join('\n')
}

const soon = <Value>(read: () => Value, seconds = 10) =>
  expect.poll(read, { timeout: seconds * 1000, interval: 50 })
const status = (assetId: string) => statusOf(caller, assetId)
const isAt = (assetId: string, step: string, state: string, seconds = 15) =>
  soon(async () => (await stage.step(assetId, step))?.state, seconds).toBe(state)
const cancel = (assetId: string) => caller.post(`assets/${assetId}/cancel/`)

const LOST = 'another attempt has taken the step, or it was cancelled'
const NOT_ITS_OWN = 'the step is no longer this attempt’s'

describe('a cancellation', () => {
  it('reaches what runs within five seconds', async () => {
    await working()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 30_000, outputCount: 1 })
    await isAt(assetId, 'encode', 'running')
    expect((await cancel(assetId)).status).toBe(200)
    await soon(() => logOf(assetId), 5).toContain(LOST)
    expect(await stage.publications(assetId)).toEqual(['video-probe 1'])
    expect(await status(assetId)).toBe('Cancelled')
  })

  it('stands, though the attempt does not listen and wants to publish afterwards', async () => {
    await working()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 4000, isDeaf: true })
    await isAt(assetId, 'encode', 'running')
    await cancel(assetId)
    await soon(() => logOf(assetId), 30).toContain(NOT_ITS_OWN)
    expect(await stage.publications(assetId)).toEqual(['video-probe 1'])
    expect(await stage.step(assetId, 'encode')).toMatchObject({ state: 'stopped', token: null })
    expect(await stage.step(assetId, 'package')).toBeUndefined()
    expect(await status(assetId)).toBe('Cancelled')
  })

  it('is followed by a retry that goes on with the step that was stopped, not with those done', async () => {
    await working()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 6000 })
    await isAt(assetId, 'encode', 'running')
    await cancel(assetId)
    expect((await caller.post(`assets/${assetId}/retry/`)).status).toBe(200)
    await soon(() => status(assetId), 40).toBe('Completed')
    expect(await stage.publications(assetId)).toEqual([
      'video-probe 1',
      'video-encode 3',
      'video-package 4',
    ])
  })
})

describe('a deletion', () => {
  it('leaves nothing for the attempt that runs to publish', async () => {
    await working()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 6000, isDeaf: true })
    await isAt(assetId, 'encode', 'running')
    expect((await caller.delete(`assets/${assetId}/`)).status).toBe(204)
    await soon(() => logOf(assetId), 30).toContain(NOT_ITS_OWN)
    expect(await stage.publications(assetId)).toEqual(['video-probe 1'])
    expect(await stage.step(assetId, 'encode')).toBeUndefined()
    await soon(() => stage.jobs(assetId, 'encode')).toEqual({ 1: 'SUCCESS' })
  })
})

describe('a step that fails', () => {
  it('is not tried again if the file is of no use', async () => {
    await working()
    const assetId = await stage.upload(caller, { isUnusable: true })
    await soon(() => status(assetId), 15).toBe('upload_empty')
    await soon(() => stage.jobs(assetId, 'encode')).toEqual({ 1: 'SUCCESS' })
    expect((await toldOf(caller, assetId)).map(({ what }) => what)).toEqual([
      'created',
      'uploaded',
      'processing_started',
      'probed',
      'planned',
      'upload_empty',
    ])
  })

  it('is tried again after growing pauses, which the timeline tells', async () => {
    await working()
    const assetId = await stage.upload(caller, { failsToToken: 3 })
    await soon(() => status(assetId), 40).toBe('Completed')
    const failed = (await toldOf(caller, assetId)).filter(({ what }) => what === 'attempt_failed')
    expect(failed.map(({ detail }) => detail)).toEqual([
      'Encoding: attempt 1 failed. The next one follows in 1 s.',
      'Encoding: attempt 2 failed. The next one follows in 2 s.',
    ])
    const [first, second] = failed.map(({ at }) => Date.parse(at))
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(950)
    expect(await stage.publications(assetId)).toContain('video-encode 4')
  })

  it('fails the asset when its attempts are spent', async () => {
    const { process } = await working()
    const assetId = await stage.upload(caller, { failsToToken: 99 })
    const hurried = async () => {
      await stage.hurry()
      return status(assetId)
    }
    await soon(hurried, 40).toBe('processing_failed')
    expect(await stage.step(assetId, 'encode')).toMatchObject({ state: 'stopped' })
    const told = (await toldOf(caller, assetId)).map(({ what }) => what)
    expect(told.filter((what) => what === 'attempt_failed')).toHaveLength(7)
    expect(told.at(-1)).toBe('processing_failed')
    await soon(() => failuresOf(process)).toContain('processing_failed')
  })
})

/** Postgres refuses one token, once, as it does when it is too slow. */
const refusal = {
  begin: `
    create sequence refusals;
    create function refuse_once() returns trigger language plpgsql security definer as $$ begin
      if new.last_token = 9 and nextval('public.refusals') = 1 then
        raise exception using errcode = 'query_canceled', message = 'canceling statement due to statement timeout';
      end if;
      return new;
    end $$;
    create trigger refuse_once before update on pipelines for each row execute function refuse_once()`,
  end: 'drop trigger refuse_once on pipelines; drop function refuse_once; drop sequence refusals',
}

describe('a last attempt that cannot take its step', () => {
  it('has not been made: the step does not wait for nobody', async () => {
    await stage.superuser.query(refusal.begin)
    try {
      await working()
      const assetId = await stage.upload(caller, { failsToToken: 99 })
      const hurried = async () => {
        await stage.hurry()
        return status(assetId)
      }
      await soon(hurried, 50).toBe('processing_failed')
      expect(await stage.step(assetId, 'encode')).toMatchObject({ state: 'stopped' })
    } finally {
      await stage.superuser.query(refusal.end)
    }
  })
})

describe('the watchdog', () => {
  it('ends a step whose time is up', async () => {
    const { process } = await working()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 20_000, outputCount: 1 })
    await isAt(assetId, 'encode', 'running')
    await stage.superuser.query(
      `update pipeline_steps set due_at = now() where asset_id = $1 and state = 'running'`,
      [assetId],
    )
    await soon(() => status(assetId), 12).toBe('processing_took_too_long')
    expect(await stage.step(assetId, 'encode')).toMatchObject({ state: 'stopped', token: null })
    await soon(() => failuresOf(process)).toContain('processing_took_too_long')
  })

  it('holds nobody to the time in which no worker lived', async () => {
    await working()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 6000 })
    await isAt(assetId, 'encode', 'running')
    const doomed = await killWorker()
    await stage.superuser.query(
      `update pipeline_steps set beat_at = now() - interval '2 hours', due_at = now() - interval '1 hour'
       where asset_id = $1 and state = 'running'`,
      [assetId],
    )
    await working('successor')
    // So that the engine gives the job back; that is long before the watchdog would.
    await stage.ageLeases(doomed, 10)
    await soon(() => status(assetId), 70).toBe('Completed')
    expect((await toldOf(caller, assetId)).map(({ what }) => what)).toContain('taken_over')
  })

  it('promises a step again whose attempt fell silent and whose job the engine has lost', async () => {
    await working()
    const assetId = await stage.upload(caller, { encodeMilliseconds: 6000 })
    await isAt(assetId, 'encode', 'running')
    const doomed = await killWorker()
    await stage.superuser.query(`delete from dbos.workflow_status where name = 'video-encode'`)
    await stage.superuser.query(
      `update pipeline_steps set beat_at = now() - interval '2 minutes'
       where asset_id = $1 and state = 'running'`,
      [assetId],
    )
    await working('last')
    // A worker must have been heard of for half a minute before anybody is judged.
    await stage.ageLeases(doomed, 30)
    await soon(() => status(assetId), 120).toBe('Completed')
    expect(await stage.jobs(assetId, 'encode')).toEqual({ '1-after-2': 'SUCCESS' })
  })
})
