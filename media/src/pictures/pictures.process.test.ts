/** Pictures of a rendition, made and read back by ffmpeg itself. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { choosePictures } from './choose.ts'
import { lookThrough, takePicture } from './pictures.ts'

const run = promisify(execFile)
let directory: string
let sandbox: Sandbox
const signal = new AbortController().signal

/** Two black seconds, then a picture; a keyframe every second. */
const film = [
  ...['-f', 'lavfi', '-i', 'color=black:size=320x180:rate=10:duration=2'],
  ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=10:duration=28'],
  ...['-filter_complex', '[0:v][1:v]concat', '-c:v', 'libx264', '-g', '10', '-keyint_min', '10'],
  ...['-sc_threshold', '0', '-pix_fmt', 'yuv420p'],
]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-pictures-test-'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
  await run('ffmpeg', ['-v', 'error', ...film, join(directory, 'film.mp4')])
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const rendition = () => ({ path: join(directory, 'film.mp4'), width: 320, height: 180 })

async function sizeOf(path: string): Promise<string> {
  const entries = ['-show_entries', 'stream=width,height,codec_name', '-of', 'csv=p=0']
  return (await run('ffprobe', ['-v', 'error', ...entries, path])).stdout.trim()
}

it('one for each keyframe, on sheets of 25, and a choice that is not black', async () => {
  const small = { ...rendition(), keyframes: 30 }
  const { sheets, samples, storyboard } = await lookThrough(sandbox, small, { directory, signal })
  expect(storyboard).toMatchObject({ tiles: 30, sheets: 2, step: 1 })
  expect(samples).toHaveLength(30)
  expect(await Promise.all(sheets.map(sizeOf))).toEqual(['mjpeg,800,450', 'mjpeg,800,450'])
  const { cover } = choosePictures(samples)
  expect(cover).toBeGreaterThanOrEqual(2)

  const wish = { keyframe: cover, longSideMax: 200, name: 'cover.jpg' }
  expect(await sizeOf(await takePicture(sandbox, rendition(), wish, { directory, signal }))).toBe(
    'mjpeg,200,112',
  )
})

it('a rendition with other keyframes than it should have is told so', async () => {
  const small = { ...rendition(), keyframes: 60 }
  await expect(lookThrough(sandbox, small, { directory, signal })).rejects.toThrow(
    '30 keyframes instead of 60',
  )
})
