/** A locked table must not block the metrics: Prometheus considers a worker dead if a scrape exceeds its time limit. */
import { Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { openFixture } from '../jobs/job-fixture.ts'

const fixture = await opened(openFixture('locked_table'))

/** Prometheus's default scrape timeout. The service's own time limit for metrics is shorter. */
const SCRAPE_SECONDS_MAX = 10

it('a worker reports all other metrics in time while a table is locked', async () => {
  const worker = await fixture.startWorker()
  /** Names of the metrics that have a value. */
  const scrape = async () => {
    const signal = AbortSignal.timeout(SCRAPE_SECONDS_MAX * 1000)
    const response = await fetch(`${worker.operationsUrl}/metrics`, { signal })
    return new Set((await response.text()).match(/^reelkeep_\w+/gm))
  }
  // Scrapes until every connection has prepared every query, because only prepared queries are sent together.
  let before = new Set<string>()
  for (let time = 0; time < 20; time++) before = await scrape()
  await using holder = await Superuser.open(fixture.env)
  await holder.query('begin')
  await holder.query('lock table upload_sessions in access exclusive mode')
  for (let time = 0; time < 2; time++) {
    const missing = [...before.difference(await scrape())]
    expect(missing).toEqual(['reelkeep_upload_sessions_overdue_seconds'])
  }
  await holder.query('rollback')
  expect([...before.difference(await scrape())]).toEqual([])
})
