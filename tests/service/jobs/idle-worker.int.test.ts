/** Tests that an idle worker polls less, and still starts jobs soon. */
import { setTimeout as sleep } from 'node:timers/promises'
import { watchIdleness } from '@reelkeep/server/platform/jobs/engine/backlog/idle-polls.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { openLogger } from '@reelkeep/server/platform/observability/logger.ts'
import { openDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { openFixture, recording } from './job-fixture.ts'

const fixture = await opened(openFixture('idle_worker'))
const database = await opened(Promise.resolve(openDatabase(fixture.env.DATABASE_WORKER_URL)))
const db = fixture.api.forOrganization(await fixture.newOrganizationId())

const POLL_SECONDS = 0.05
/** Longer than forty polls of 50 ms. */
const IDLE_MILLISECONDS = 2500

const watch = (claimed = new Set<{ id: string }>(), queue = 'light') =>
  watchIdleness({
    database,
    logger: openLogger('silent', { write: () => {} }),
    queues: [queue],
    intervals: { pollSeconds: POLL_SECONDS },
    claimed,
  })

/** The value of the promise, or 'pending' if it has not resolved after half a second. */
const soon = <Value>(promise: Promise<Value>) => Promise.race([promise, sleep(500).then(() => 'pending' as const)])

it('the polls of an idle worker wait until a job of its queues is enqueued', async () => {
  await using idleness = watch()
  await using other = watch(undefined, 'encode')
  expect(await soon(idleness.untilBusy())).toBe(true)
  await sleep(IDLE_MILLISECONDS)
  const polls = [idleness.untilBusy(), other.untilBusy()] as const
  expect(await Promise.all(polls.map(soon))).toEqual(['pending', 'pending'])
  await enqueueJob(db, recording, { input: { note: 'waiting' } })
  expect(await Promise.all(polls.map(soon))).toEqual([true, 'pending'])
  await fixture.superuser.query('delete from dbos.workflow_status')
})

it('the polls of an idle worker continue when the delay of a job ends', async () => {
  await using idleness = watch()
  await enqueueJob(db, recording, { input: { note: 'later' }, delaySeconds: IDLE_MILLISECONDS / 1000 + 1 })
  await sleep(IDLE_MILLISECONDS)
  const poll = idleness.untilBusy()
  expect(await soon(poll)).toBe('pending')
  await sleep(500)
  expect(await soon(poll)).toBe(true)
  await fixture.superuser.query('delete from dbos.workflow_status')
})

it('a worker that runs a job is not idle, and its polls end when it stops', async () => {
  const claimed = new Set([{ id: 'running' }])
  const idleness = watch(claimed)
  await sleep(IDLE_MILLISECONDS)
  expect(await soon(idleness.untilBusy())).toBe(true)
  claimed.clear()
  await sleep(IDLE_MILLISECONDS)
  const poll = idleness.untilBusy()
  expect(await soon(poll)).toBe('pending')
  await idleness[Symbol.asyncDispose]()
  expect(await poll).toBe(false)
})

it('an idle worker starts jobs within a second', async () => {
  const worker = await fixture.launchWorker()
  await worker.ready()
  await sleep(5000)
  for (const note of ['first', 'second', 'third']) {
    const start = performance.now()
    await enqueueJob(db, recording, { input: { note } })
    await expect.poll(() => fixture.records(note), { interval: 20 }).toHaveLength(1)
    expect(performance.now() - start).toBeLessThan(1000)
    await sleep(note === 'third' ? 0 : 5000)
  }
  await fixture.stopWorkers()
})
