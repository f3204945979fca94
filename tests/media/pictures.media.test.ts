/** The pictures that stand for a video, made by the real pipeline and fetched like a page fetches them. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCompleted, openMediaStage, uploadVideo, videoBecomes } from './media-stage.ts'

const run = promisify(execFile)
const stage = await opened(openMediaStage('pictures'))

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-pictures-test-'))
  await stage.startWorker()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Black for five seconds, then pictures for ten. */
async function makeFilm(): Promise<string> {
  const film = join(directory, 'late.mp4')
  await run('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', 'color=black:size=640x360:rate=25:duration=5'],
    ...['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=10'],
    ...['-filter_complex', '[0:v][1:v]concat', '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-pix_fmt', 'yuv420p', film],
  ])
  return film
}

async function fetchPicture(url: string, name: string): Promise<string> {
  const answer = await fetch(url)
  expect(answer.headers.get('content-type')).toBe('image/jpeg')
  const path = join(directory, name)
  await writeFile(path, Buffer.from(await answer.arrayBuffer()))
  return path
}

/** Size, and how light it is on average, from 0 to 255. */
async function look(path: string): Promise<{ size: string; light: number }> {
  const gray = ['-vf', 'scale=1:1,format=gray', '-f', 'rawvideo', '-']
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, ...gray], {
    encoding: 'buffer',
  })
  const entries = ['-v', 'error', '-show_entries', 'stream=width,height', '-of', 'csv=p=0:s=x']
  const size = (await run('ffprobe', [...entries, path])).stdout.trim()
  return { size, light: stdout[0] ?? 0 }
}

it('a cover that is not the black beginning, thumbnails, and a storyboard of the whole', async () => {
  const caller = await stage.newCaller()
  const assetId = await uploadVideo(caller, await makeFilm(), { resolutions: ['240p', '360p'] })
  const video = await videoBecomes(caller, assetId, isCompleted, 90)

  const cover = await look(await fetchPicture(video.cover_thumbnail_url ?? '', 'cover.jpg'))
  expect(cover.size).toBe('640x360')
  expect(cover.light).toBeGreaterThan(50)
  expect(video.thumbnails.length).toBeGreaterThanOrEqual(2)
  for (const url of video.thumbnails) await fetchPicture(url, 'thumbnail.jpg')

  const storyboard = video.tracks.find(({ kind }) => kind === 'storyboard')?.url ?? ''
  const vtt = await (await fetch(storyboard)).text()
  const cues = [...vtt.matchAll(/^(\S+) --> (\S+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)$/gm)]
  // A keyframe every two seconds.
  expect(cues).toHaveLength(8)
  expect([cues[0]?.[1], cues.at(-1)?.[2]]).toEqual(['00:00:00.000', '00:00:15.000'])
  const sheet = await fetchPicture(new URL(cues[0]?.[3] ?? '', storyboard).href, 'sheet.jpg')
  const lightOf = async (cue: RegExpMatchArray | undefined) => {
    const [, , , , x, y, width, height] = cue ?? []
    const tile = join(directory, 'tile.png')
    const crop = `crop=${width}:${height}:${x}:${y}`
    await run('ffmpeg', ['-v', 'error', '-y', '-i', sheet, '-vf', crop, tile])
    return (await look(tile)).light
  }
  expect(await lightOf(cues[0])).toBeLessThan(25)
  expect(await lightOf(cues[5])).toBeGreaterThan(50)
})
