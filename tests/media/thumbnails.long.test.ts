/** Tests cover, thumbnails and storyboard: the real pipeline creates them, and the test fetches them by their URLs. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from './media-fixture.ts'

const run = promisify(execFile)
const fixture = await opened(openMediaFixture('thumbnails'))

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-thumbnails-test-'))
  await fixture.startWorker()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Creates a film that is black for five seconds and then shows a test pattern for ten seconds. */
async function createFilm(): Promise<string> {
  const film = join(directory, 'late.mp4')
  await run('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', 'color=black:size=640x360:rate=25:duration=5'],
    ...['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=10'],
    ...['-filter_complex', '[0:v][1:v]concat', '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-pix_fmt', 'yuv420p', film],
  ])
  return film
}

async function fetchImage(url: string, name: string): Promise<string> {
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toBe('image/jpeg')
  const path = join(directory, name)
  await writeFile(path, Buffer.from(await response.arrayBuffer()))
  return path
}

/** Size and average brightness (0 to 255) of an image. */
async function inspect(path: string): Promise<{ size: string; light: number }> {
  const gray = ['-vf', 'scale=1:1,format=gray', '-f', 'rawvideo', '-']
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, ...gray], {
    encoding: 'buffer',
  })
  const entries = ['-v', 'error', '-show_entries', 'stream=width,height', '-of', 'csv=p=0:s=x']
  const size = (await run('ffprobe', [...entries, path])).stdout.trim()
  return { size, light: stdout[0] ?? 0 }
}

it('the pipeline creates a cover that is not black, thumbnails, and a storyboard of the whole video', async () => {
  const caller = await fixture.newCaller()
  const assetId = await uploadVideo(caller, await createFilm(), { resolutions: ['240p', '360p'] })
  const video = await waitForVideo(caller, assetId, isCompleted, 90)

  const cover = await inspect(await fetchImage(video.cover_thumbnail_url ?? '', 'cover.jpg'))
  expect(cover.size).toBe('640x360')
  expect(cover.light).toBeGreaterThan(50)
  expect(video.thumbnails.length).toBeGreaterThanOrEqual(2)
  for (const url of video.thumbnails) await fetchImage(url, 'thumbnail.jpg')

  const storyboard = video.tracks.find(({ kind }) => kind === 'storyboard')?.url ?? ''
  const vtt = await (await fetch(storyboard)).text()
  const cues = [...vtt.matchAll(/^(\S+) --> (\S+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)$/gm)]
  // The storyboard has an image for each keyframe, one every two seconds.
  expect(cues).toHaveLength(8)
  expect([cues[0]?.[1], cues.at(-1)?.[2]]).toEqual(['00:00:00.000', '00:00:15.000'])
  const sheet = await fetchImage(new URL(cues[0]?.[3] ?? '', storyboard).href, 'sheet.jpg')
  const lightOf = async (cue: RegExpMatchArray | undefined) => {
    const [, , , , x, y, width, height] = cue ?? []
    const tile = join(directory, 'tile.png')
    const crop = `crop=${width}:${height}:${x}:${y}`
    await run('ffmpeg', ['-v', 'error', '-y', '-i', sheet, '-vf', crop, tile])
    return (await inspect(tile)).light
  }
  expect(await lightOf(cues[0])).toBeLessThan(25)
  expect(await lightOf(cues[5])).toBeGreaterThan(50)
})
