/** Creates thumbnails of a rendition and checks them with ffmpeg. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readFragments } from '../encode/output/fragment-index.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { chooseThumbnails } from './choose-thumbnails.ts'
import { singleKeyframe } from './single-keyframe.ts'
import { planStoryboard } from './storyboard.ts'
import { renderFrame, renderImage, renderStoryboard, renderThumbnail, ThumbnailsFailed } from './thumbnails.ts'

const run = promisify(execFile)
let directory: string
let sandbox: Sandbox
const signal = new AbortController().signal

/** A film of two black seconds, then a test pattern, with a keyframe every second. */
const film = [
  ...['-f', 'lavfi', '-i', 'color=black:size=320x180:rate=10:duration=2'],
  ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=10:duration=28'],
  ...['-filter_complex', '[0:v][1:v]concat', '-c:v', 'libx264', '-g', '10', '-keyint_min', '10'],
  ...['-sc_threshold', '0', '-pix_fmt', 'yuv420p'],
]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-thumbnails-test-'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
  await run('ffmpeg', ['-v', 'error', ...film, join(directory, 'film.mp4')])
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const rendition = () => ({ path: join(directory, 'film.mp4'), width: 320, height: 180 })

async function sizeOf(path: string): Promise<string> {
  const entries = ['-show_entries', 'stream=width,height,codec_name', '-of', 'csv=p=0']
  return (await run('ffprobe', ['-v', 'error', ...entries, path])).stdout.trim()
}

it('renderStoryboard creates one tile per keyframe, on sheets of 25, and chooses a cover that is not black', async () => {
  const storyboard = planStoryboard(30, rendition())
  const options = { directory, signal }
  const { sheets, samples } = await renderStoryboard(sandbox, rendition(), storyboard, options)
  expect(samples).toHaveLength(30)
  expect(await Promise.all(sheets.map(sizeOf))).toEqual(['mjpeg,800,450', 'mjpeg,800,450'])
  const { cover } = chooseThumbnails(samples)
  expect(cover).toBeGreaterThanOrEqual(2)

  const thumbnail = { longSideMax: 200, name: 'cover.jpg' }
  const path = await renderThumbnail(sandbox, rendition(), thumbnail, options)
  expect(await sizeOf(path)).toBe('mjpeg,200,112')
})

it('renderStoryboard throws if the rendition has another number of keyframes', async () => {
  const result = renderStoryboard(sandbox, rendition(), planStoryboard(60, rendition()), {
    directory,
    signal,
  })
  await expect(result).rejects.toThrow('30 frames instead of 60')
})

it('renderStoryboard needs only the keyframes of fragments', async () => {
  const whole = join(directory, 'fragments.mp4')
  const fragmented = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof+skip_trailer']
  const copied = ['-v', 'error', '-i', rendition().path, '-c', 'copy', ...fragmented, whole]
  await run('ffmpeg', copied)
  const bytes = await readFile(whole)
  const first = bytes.indexOf('moof') - 4
  const rest = bytes.subarray(first)
  const fragments = readFragments(rest) ?? []
  expect(fragments).toHaveLength(30)
  const chosen = [fragments[3], fragments[11], fragments[27]]
  const keyframes = chosen.map((fragment) => {
    const { offset, firstSampleBytes } = fragment ?? { offset: 0, firstSampleBytes: 0 }
    return singleKeyframe(rest.subarray(offset, offset + firstSampleBytes))
  })
  const path = join(directory, 'keyframes.mp4')
  await writeFile(path, Buffer.concat([bytes.subarray(0, first), ...keyframes]))
  const storyboard = planStoryboard(3, rendition())
  const options = { directory, signal }
  const { samples } = await renderStoryboard(sandbox, { ...rendition(), path }, storyboard, options)
  const all = await renderStoryboard(sandbox, rendition(), planStoryboard(30, rendition()), options)
  expect(samples).toEqual([all.samples[3], all.samples[11], all.samples[27]])
})

it('renderFrame renders exactly the first frame at or after the given time', async () => {
  const path = join(directory, 'steps.mp4')
  // The brightness of frame N is 20 + 5 N. Ten frames per second, with a single keyframe.
  const source = "color=size=64x64:rate=10:duration=4,format=gray,geq=lum='20+5*N'"
  await run('ffmpeg', [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    source,
    '-c:v',
    'libx264',
    '-g',
    '100',
    '-pix_fmt',
    'yuv420p',
    path,
  ])
  for (const frame of [0, 17, 39]) {
    const image = await renderFrame(
      sandbox,
      { path, width: 64, height: 64 },
      { longSideMax: 64, name: `frame-${frame}.jpg`, offsetSeconds: Math.max(0, (frame - 0.5) / 10) },
      { directory, signal },
    )
    const raw = ['-vf', 'scale=1:1', '-f', 'rawvideo', '-pix_fmt', 'gray', '-']
    const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', image, ...raw], { encoding: 'buffer' })
    expect(Math.abs((stdout[0] ?? 0) - (20 + 5 * frame))).toBeLessThan(3)
  }
})

async function imageOf(name: string, size: string): Promise<string> {
  const path = join(directory, name)
  await run('ffmpeg', [
    '-v',
    'error',
    '-nostdin',
    '-y',
    '-f',
    'lavfi',
    '-i',
    `testsrc2=size=${size}`,
    '-frames:v',
    '1',
    path,
  ])
  return path
}

it.each(['jpg', 'png', 'webp'])('renderImage encodes an image again, scaled down: %s', async (extension) => {
  const path = await imageOf(`wide.${extension}`, '2000x500')
  const image = { longSideMax: 1280, name: 'uploaded.jpg' }
  expect(await sizeOf(await renderImage(sandbox, path, image, { directory, signal }))).toBe('mjpeg,1280,320')
})

it('renderImage keeps the size of a small image, and scales a tall one by its height', async () => {
  const image = { longSideMax: 1280, name: 'uploaded.jpg' }
  const render = async (size: string) =>
    sizeOf(await renderImage(sandbox, await imageOf('any.png', size), image, { directory, signal }))
  expect(await render('100x60')).toBe('mjpeg,100,60')
  expect(await render('500x2000')).toBe('mjpeg,320,1280')
})

it('renderImage refuses videos, other formats, text and images with too many pixels', async () => {
  const svg = join(directory, 'image.svg')
  await writeFile(svg, '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>')
  const hostile = [
    svg,
    join(directory, 'film.mp4'),
    await imageOf('image.bmp', '64x64'),
    await imageOf('huge.png', '8000x6000'),
  ]
  for (const path of hostile) {
    const image = { longSideMax: 1280, name: 'uploaded.jpg' }
    await expect(renderImage(sandbox, path, image, { directory, signal })).rejects.toThrow(ThumbnailsFailed)
  }
})
