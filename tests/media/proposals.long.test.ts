/** Proposals for chapters: the real pipeline finds the cuts and pauses of a film whose cuts are known. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { chapters } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from './media-fixture.ts'

const run = promisify(execFile)
const fixture = await opened(openMediaFixture('proposals'))

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-proposals-test-'))
  await fixture.startWorker()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const RATE = 25
/** Frames of each scene. Only the third cut is at a keyframe, at 10 seconds. */
const scenes = [93, 81, 76, 137, 63]
const cuts = [93, 174, 250, 387]
const seconds = scenes.reduce((sum, frames) => sum + frames, 0) / RATE

/** Scenes with motion. It is quiet from 4 to 6 seconds, and in the last two seconds. */
async function createFilm(): Promise<string> {
  const film = join(directory, 'scenes.mp4')
  const colors = [
    '0x102040:c1=0x204060',
    '0xd0a060:c1=0xf0d090',
    '0x205020:c1=0x60a040',
    '0xa02050:c1=0xe060a0',
    '0x9090b0:c1=0xd0d0f0',
  ]
  const inputs = scenes.flatMap((frames, index) => [
    ...[
      '-f',
      'lavfi',
      '-i',
      `gradients=size=320x180:rate=${RATE}:nb_colors=2:speed=0.02:seed=${index + 1}:c0=${colors[index]}:duration=${frames / RATE}`,
    ],
  ])
  const audio = `aevalsrc='0.5*sin(2*PI*330*t)*(1-between(t,4,6))*lt(t,${seconds - 2})':d=${seconds}:s=48000`
  await run('ffmpeg', [
    ...['-v', 'error', ...inputs, '-f', 'lavfi', '-i', audio],
    ...['-filter_complex', `concat=n=${scenes.length},scale=426:240[v]`, '-map', '[v]', '-map', `${scenes.length}:a`],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', film],
  ])
  return film
}

it.each(['disable', 'aes'])('finds cuts and pauses of a video with protection %s', async (protection) => {
  const caller = await fixture.newCaller()
  const options = { resolutions: ['240p'], content_protection_type: protection }
  const assetId = await uploadVideo(caller, await createFilm(), options)
  await waitForVideo(caller, assetId, isCompleted, 120)
  const { body } = await caller.get<chapters.ChapterProposals>(`assets/${assetId}/chapters/proposals/`)
  const startsOf = (wanted: string) =>
    body.proposals.flatMap(({ kind, start_seconds: start }) => (kind === wanted ? [start] : []))
  const exact = cuts.map((frame) => frame / RATE)
  // Without whole segments, the next keyframe.
  expect(startsOf('scene')).toEqual(protection === 'drm' ? exact.map((start) => Math.ceil(start / 2) * 2) : exact)
  expect(startsOf('pause')).toEqual([5.88])
  expect(body.proposals.find(({ kind }) => kind === 'pause')?.pause_seconds).toBeCloseTo(2, 1)
  expect(body.trim?.start_seconds).toBe(0)
  expect(body.trim?.end_seconds).toBeCloseTo(seconds - 2 + 0.12, 1)
})
