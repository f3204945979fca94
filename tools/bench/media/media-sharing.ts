import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from '../../../tests/media/media-fixture.ts'

const run = promisify(execFile)

const COMPLETED_SECONDS_MAX = 3600
const resolutions = ['240p', '360p', '480p']

/** Measures the processing time with one and with two workers. Ideally, two workers need half the time. */
export async function measureSharing(film: string) {
  const alone = await wallSecondsOf(film, [0])
  const both = await wallSecondsOf(film, [0, 1])
  return [
    { workers: 1, 'wall s': alone.toFixed(1), 'of ideal': '' },
    { workers: 2, 'wall s': both.toFixed(1), 'of ideal': (alone / 2 / both).toFixed(3) },
  ]
}

/** Time from the end of the upload until processing is complete, with one worker on each of these processors. */
async function wallSecondsOf(film: string, processors: readonly number[]): Promise<number> {
  await using fixture = await openMediaFixture('bench_sharing')
  const caller = await fixture.newCaller()
  for (const processor of processors) {
    const worker = await fixture.startWorker({ WORKER_ID: `on-${processor}` })
    await run('taskset', ['-a', '-c', '-p', String(processor), String(worker.child.pid)])
  }
  const assetId = await uploadVideo(caller, film, { resolutions })
  const startedAt = performance.now()
  await waitForVideo(caller, assetId, isCompleted, COMPLETED_SECONDS_MAX)
  return (performance.now() - startedAt) / 1000
}
