/** Encodes a long video in parts: if a worker is killed, only its current part has to be encoded again. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from './media-fixture.ts'

const run = promisify(execFile)
const fixture = await opened(openMediaFixture('encoding'))

/** Length of the film: more than one chunk. Its frame rate is low, because only the number of parts matters. */
const SECONDS = 92
const RATE = 15

let directory: string
let film: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-encoding-test-'))
  film = join(directory, 'film.mp4')
  const video = `testsrc2=size=640x360:rate=${RATE}:duration=${SECONDS}`
  const audio = `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`
  const inputs = ['-f', 'lavfi', '-i', video, '-f', 'lavfi', '-i', audio]
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
  fixture.superuser.query<StepRow>(
    `select part, token, takes, state from pipeline_steps
     where asset_id = $1 and step = 'video-encode' order by part::integer`,
    [assetId],
  )

it('only the part that a killed worker was encoding is encoded again', async () => {
  const caller = await fixture.newCaller()
  const killedWorker = await fixture.startWorker({ WORKER_ID: 'killed' })
  const assetId = await uploadVideo(caller, film, { resolutions: ['240p', '360p'] })
  const isSecondChunkRunning = async () => {
    const steps = await encodeSteps(assetId)
    return steps.some(({ part, state }) => part === '2' && state === 'running')
  }
  await expect.poll(isSecondChunkRunning, { timeout: 90_000, interval: 100 }).toBe(true)
  const before = await encodeSteps(assetId)
  await killedWorker.stop('SIGKILL')
  await fixture.startWorker({ WORKER_ID: 'heir' })
  await waitForVideo(caller, assetId, isCompleted, 180)

  const after = await encodeSteps(assetId)
  const done = before.filter(({ state }) => state === 'done')
  expect(done.map(({ part }) => part)).toEqual(['0', '1'])
  // The steps that were done before the kill are unchanged.
  for (const step of done) expect(after).toContainEqual(step)
  expect(after.filter(({ takes }) => takes > 1).map(({ part }) => part)).toEqual(['2'])
}, 300_000)
