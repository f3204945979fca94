/** Prometheus waits for ten seconds, and takes a worker for dead that has told nothing by then. */
import { Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { openStage } from './happenings.ts'

const stage = await opened(openStage('locked_table'))

/** As long as Prometheus waits unless it is told otherwise; ours is not. */
const SCRAPE_SECONDS_MAX = 10

it('a worker tells everything else in time while a table is locked', async () => {
  const worker = await stage.startWorker()
  /** What has a value. */
  const scrape = async () => {
    const signal = AbortSignal.timeout(SCRAPE_SECONDS_MAX * 1000)
    const answer = await fetch(`${worker.operationsUrl}/metrics`, { signal })
    return new Set((await answer.text()).match(/^reelkeep_\w+/gm))
  }
  // Until every connection knows every question: those that one knows it is sent together.
  let before = new Set<string>()
  for (let time = 0; time < 20; time++) before = await scrape()
  await using holder = await Superuser.open(stage.env)
  await holder.query('begin')
  await holder.query('lock table upload_sessions in access exclusive mode')
  for (let time = 0; time < 2; time++) {
    const missing = [...before.difference(await scrape())]
    expect(missing).toEqual(['reelkeep_upload_sessions_overdue_seconds'])
  }
  await holder.query('rollback')
  expect([...before.difference(await scrape())]).toEqual([])
})
