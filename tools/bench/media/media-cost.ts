import { mkdtemp, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plan } from '@reelkeep/media'
import { encodeWithFfmpeg, ffmpegOutputFile, wholePart } from '@reelkeep/media/ffmpeg-baseline'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from '../../../tests/media/media-fixture.ts'
import { cpuSecondsOf } from '../support/cpu-time.ts'

export const resolutions = ['240p', '360p', '480p', '540p', '720p', '1080p']

const COMPLETED_SECONDS_MAX = 3600

export type Measured = {
  readonly plan: Plan
  /** Folder with the files that ffmpeg alone has created. */
  readonly bareDirectory: string
  readonly row: Record<string, string | number>
  /** Returns the segments of a rendition, concatenated. */
  readonly joined: (rendition: string) => Promise<Buffer>
}

/** Compares the cost of processing a video with one worker to the cost of ffmpeg alone. */
export async function measureCost(film: string, directory: string): Promise<Measured> {
  await using fixture = await openMediaFixture('bench_media')
  const caller = await fixture.newCaller()
  const worker = await fixture.startWorker()
  const before = cpuSecondsOf(worker.child.pid ?? 0)
  const startedAt = performance.now()
  const assetId = await uploadVideo(caller, film, { resolutions })
  const video = await waitForVideo(caller, assetId, isCompleted, COMPLETED_SECONDS_MAX)
  const wallSeconds = (performance.now() - startedAt) / 1000
  const own = cpuSecondsOf(worker.child.pid ?? 0) - before
  const cpuSeconds = own + programSeconds(worker.log)
  const plan = await fixture.planOf(assetId)
  const joinedByName = new Map<string, Buffer>()
  for (const { name } of video.renditions) {
    joinedByName.set(name, await fetchJoined(video.playback_url ?? '', name))
  }
  await worker.stop()
  const bareDirectory = await mkdtemp(join(directory, 'bare-'))
  const bare = await encodeWithFfmpeg(film, plan, wholePart(plan), bareDirectory)
  return {
    ...{ plan, bareDirectory },
    row: {
      parts: plan.parts.length,
      'pipeline CPU s': cpuSeconds.toFixed(1),
      'ffmpeg CPU s': bare.cpuSeconds.toFixed(1),
      ratio: (cpuSeconds / bare.cpuSeconds).toFixed(3),
      'pipeline wall s': wallSeconds.toFixed(1),
      'ffmpeg wall s': bare.wallSeconds.toFixed(1),
    },
    joined: async (name) => joinedByName.get(name) ?? Buffer.alloc(0),
  }
}

/**
 * CPU time of encoders and packagers, from the log of the worker. They run in a sandbox, so it cannot be measured from
 * here.
 */
const programSeconds = (log: string) =>
  Array.from(log.matchAll(/"cpuSeconds":([\d.]+)/g), ([, seconds]) => Number(seconds)).reduce(
    (sum, seconds) => sum + seconds,
    0,
  )

/** Fetches all segments of a rendition, one after the other like a player. */
async function fetchJoined(playbackUrl: string, name: string): Promise<Buffer> {
  const url = new URL(`${name}.m3u8`, playbackUrl)
  const playlist = await (await fetch(url)).text()
  const beginning = /#EXT-X-MAP:URI="([^"]+)"/.exec(playlist)?.[1] ?? ''
  const names = [beginning, ...playlist.split('\n').filter((line) => line.endsWith('.m4s'))]
  const files: Buffer[] = []
  for (const name of names) {
    const answer = await fetch(new URL(name, url))
    if (!answer.ok) throw new Error(`${answer.status} for ${name}`)
    files.push(Buffer.from(await answer.arrayBuffer()))
  }
  return Buffer.concat(files)
}

/** Measures the cost of each rendition alone. */
export async function measureRungs(film: string, directory: string) {
  await using fixture = await openMediaFixture('bench_rungs')
  const caller = await fixture.newCaller()
  await fixture.startWorker({ WORKER_QUEUES: 'light,probe' })
  const assetId = await uploadVideo(caller, film, { resolutions })
  await waitForVideo(caller, assetId, ({ renditions }) => renditions.length > 0, 60)
  const plan = await fixture.planOf(assetId)
  const rows = []
  for (const name of [...plan.rungs.map((rung) => rung.name), 'audio']) {
    const place = await mkdtemp(join(directory, 'rung-'))
    const { cpuSeconds } = await encodeWithFfmpeg(film, plan, wholePart(plan, [name]), place)
    const { size } = await stat(ffmpegOutputFile(place, name))
    const anHour = 3600 / plan.durationSeconds
    rows.push({
      rendition: name,
      'CPU s per hour': Math.round(cpuSeconds * anHour),
      'MB per hour': Math.round((size / 1e6) * anHour),
    })
  }
  return rows
}
