/** How steps stand side by side and in parts, by a real worker process. */
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { openPipelineStage, statusOf, toldOf } from './pipeline-stage.ts'

const stage = await opened(openPipelineStage('stages'))

it('the next stage waits for every part, and for nothing that can be done without', async () => {
  const caller = await stage.newOrganization()
  await stage.startWorker({}, 'tests/service/stages-worker.ts')
  const assetId = await stage.upload(caller)
  await expect.poll(() => statusOf(caller, assetId), { timeout: 30_000 }).toBe('Completed')

  const rows = await stage.superuser.query<{ step: string; part: string; state: string }>(
    'select step, part, state from pipeline_steps where asset_id = $1 order by step, part',
    [assetId],
  )
  expect(rows.map(({ step, part, state }) => `${step} ${part} ${state}`)).toEqual([
    'video-end  done',
    'video-extra  stopped',
    'video-parts 1 done',
    'video-parts 2 done',
    'video-parts 2-a done',
    'video-parts 2-b done',
    'video-parts 3 done',
    'video-probe  done',
  ])
  const published = (await stage.publications(assetId)).map((text) => text.split(' ')[0])
  expect(published).toEqual([
    'video-probe',
    ...Array.from({ length: 4 }, () => 'video-parts'),
    'video-end',
  ])
  const told = await toldOf(caller, assetId)
  expect(told.map(({ what }) => what)).toEqual(expect.arrayContaining(['divided_up', 'completed']))
  expect(told.find(({ what }) => what === 'given_up')?.detail).toBe(
    'Making something extra was given up, and the video goes on without: There is nothing extra in it.',
  )
}, 60_000)
