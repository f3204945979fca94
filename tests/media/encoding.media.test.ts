/** A long video is encoded in parts by several workers; one that is killed costs no more than the part it was at. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCompleted, openMediaStage, uploadVideo, videoBecomes } from './media-stage.ts'

const run = promisify(execFile)
const stage = await opened(openMediaStage('encoding'))

/** Just long enough for more than one chunk, and with few pictures: what counts is how many parts there are. */
const SECONDS = 92
const RATE = 15

let directory: string
let film: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-encoding-test-'))
  film = join(directory, 'film.mp4')
  const picture = `testsrc2=size=640x360:rate=${RATE}:duration=${SECONDS}`
  const sound = `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', ...inputs, ...codecs, film])
})
afterAll(() => rm(directory, { recursive: true, force: true }))

type StepRow = {
  readonly part: string
  readonly token: number
  readonly takes: number
  readonly state: string
}

const encodeSteps = (assetId: string) =>
  stage.superuser.query<StepRow>(
    `select part, token, takes, state from pipeline_steps
     where asset_id = $1 and step = 'video-encode' order by part::integer`,
    [assetId],
  )

it('only the part that a killed worker was at is made again', async () => {
  const caller = await stage.newCaller()
  const doomed = await stage.startWorker({ WORKER_ID: 'doomed' })
  const assetId = await uploadVideo(caller, film, { resolutions: ['240p', '360p'] })
  const isSecondChunkUnderWay = async () => {
    const steps = await encodeSteps(assetId)
    return steps.some(({ part, state }) => part === '2' && state === 'running')
  }
  await expect.poll(isSecondChunkUnderWay, { timeout: 90_000, interval: 100 }).toBe(true)
  const before = await encodeSteps(assetId)
  await doomed.stop('SIGKILL')
  await stage.startWorker({ WORKER_ID: 'heir' })
  await videoBecomes(caller, assetId, isCompleted, 180)

  const after = await encodeSteps(assetId)
  const done = before.filter(({ state }) => state === 'done')
  expect(done.map(({ part }) => part)).toEqual(['0', '1'])
  // The very attempts that were done before stand.
  for (const step of done) expect(after).toContainEqual(step)
  expect(after.filter(({ takes }) => takes > 1).map(({ part }) => part)).toEqual(['2'])
}, 300_000)
