import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeWithFfmpeg } from '@reelkeep/media/ffmpeg-baseline'
import { openMediaFixture, uploadVideo, waitForVideo } from '../../../tests/media/media-fixture.ts'
import { median } from '../support/table.ts'
import { resolutions } from './media-cost.ts'

const ROUNDS = 5
const PLAYABLE_SECONDS_MAX = 120

/**
 * Measures the time until the video plays, alternately with the pipeline and with ffmpeg alone. Cancels processing as
 * soon as the video plays.
 */
export async function measureFirstPlayable(film: string, directory: string) {
  await using fixture = await openMediaFixture('bench_first')
  const caller = await fixture.newCaller()
  await fixture.startWorker()
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const assetId = await uploadVideo(caller, film, { resolutions })
    const uploadedAt = performance.now()
    await waitForVideo(caller, assetId, (video) => video.playback_url !== null, PLAYABLE_SECONDS_MAX)
    ours.push((performance.now() - uploadedAt) / 1000)
    await caller.post(`assets/${assetId}/cancel/`)
    const plan = await fixture.planOf(assetId)
    const [opening] = plan.parts
    if (!opening) throw new Error('There is no opening part')
    const place = await mkdtemp(join(directory, 'opening-'))
    bare.push((await encodeWithFfmpeg(film, plan, opening, place)).wallSeconds)
  }
  const more = ours.map((seconds, round) => seconds - (bare[round] ?? 0))
  return [
    ...ours.map((seconds, round) => toRow(round + 1, seconds, bare[round] ?? 0, more[round] ?? 0)),
    toRow('median', median(ours), median(bare), median(more)),
  ]
}

const toRow = (round: number | string, ours: number, bare: number, more: number) => ({
  round,
  'playable after s': ours.toFixed(2),
  'ffmpeg alone s': bare.toFixed(2),
  'more s': more.toFixed(2),
})
