/** Tests that the queue polls of an idle worker pause, and that it still starts jobs. */
import { watchIdleness } from '@reelkeep/server/platform/jobs/engine/backlog/idle-polls.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { openLogger } from '@reelkeep/server/platform/observability/logger.ts'
import { openDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, expect, it } from 'vitest'
import { openFixture, recording } from './job-fixture.ts'

const fixture = await opened(openFixture('idle_worker'))
const database = await opened(Promise.resolve(openDatabase(fixture.env.DATABASE_WORKER_URL)))
const db = fixture.api.forOrganization(await fixture.newOrganizationId())

afterEach(() => fixture.superuser.query('delete from dbos.workflow_status'))

const watch = (claimed = new Set<{ id: string }>(), queue = 'light') =>
  watchIdleness({
    database,
    logger: openLogger('silent', { write: () => {} }),
    queues: [queue],
    intervals: { pollSeconds: 0.05 },
    claimed,
  })

type Idleness = ReturnType<typeof watch>

/** Starts a poll of an idle worker. `results` gets its result when it ends. */
async function pollWhenIdle(idleness: Idleness) {
  await expect.poll(idleness.isIdle).toBe(true)
  const results: boolean[] = []
  const poll = idleness.untilBusy().then((isBusy) => void results.push(isBusy))
  return { results, poll }
}

it('the polls of an idle worker pause until a job of its queues is enqueued', async () => {
  await using idleness = watch()
  await using other = watch(undefined, 'encode')
  expect(await idleness.untilBusy()).toBe(true)
  const [own, others] = [await pollWhenIdle(idleness), await pollWhenIdle(other)]
  expect([own.results, others.results]).toEqual([[], []])
  await enqueueJob(db, recording, { input: { note: 'waiting' } })
  await own.poll
  expect([own.results, others.results]).toEqual([[true], []])
})

it('the polls of an idle worker continue when the delay of a job ends', async () => {
  await using idleness = watch()
  await enqueueJob(db, recording, { input: { note: 'later' }, delaySeconds: 3600 })
  const { results, poll } = await pollWhenIdle(idleness)
  expect(results).toEqual([])
  await fixture.superuser.query('update dbos.workflow_status set delay_until_epoch_ms = 1')
  await poll
  expect(results).toEqual([true])
})

it('a worker that runs a job is not idle, and its polls end when it stops', async () => {
  const claimed = new Set([{ id: 'running' }])
  const idleness = watch(claimed)
  expect(idleness.isIdle()).toBe(false)
  expect(await idleness.untilBusy()).toBe(true)
  claimed.clear()
  const { results, poll } = await pollWhenIdle(idleness)
  await idleness[Symbol.asyncDispose]()
  await poll
  expect(results).toEqual([false])
})

it('an idle worker starts jobs, and its polls pause again', async () => {
  const worker = await fixture.startWorker({ LOG_LEVEL: 'debug' })
  const pauses = () => worker.log.split('queue polls paused').length - 1
  for (const [index, note] of ['first', 'second', 'third'].entries()) {
    await expect.poll(pauses).toBeGreaterThan(index)
    await enqueueJob(db, recording, { input: { note } })
    await expect.poll(() => fixture.records(note)).toHaveLength(1)
  }
  await fixture.stopWorkers()
})
