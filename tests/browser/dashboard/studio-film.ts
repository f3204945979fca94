/** A film of several scenes with pauses between them, for the chapter editor. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import type { LibraryFixture } from './library-data.ts'

const run = promisify(execFile)

export const FRAME_RATE = 25
const SCENE_SECONDS = 8
/** At the end of each scene. */
const PAUSE_SECONDS = 1.5
const scenes = [
  ['0b1030', '2dd4a7', '123a6b', '7a5cff'],
  ['2a0d2e', 'b3365f', 'f0884a', '3a1450'],
  ['0d2b45', '1f6f8b', '99d5c9', '0f3d5c'],
  ['1b1410', '7a4a26', 'd8a45c', '2d1d16'],
  ['2b1055', '7597de', 'd2ddf5', '40307a'],
  ['101820', '8a2b3a', 'f2aa4c', '33202a'],
  ['20303a', '53707c', 'c9b79c', '2c3e46'],
]
const FILM_SECONDS = scenes.length * SCENE_SECONDS

/** Generates, uploads and processes the film. Returns its id. */
export async function addStudioFilm({ client, folder }: LibraryFixture, title: string): Promise<string> {
  const path = join(folder, 'scenes.mp4')
  const options = `size=160x90:rate=${FRAME_RATE}:duration=${SCENE_SECONDS}:speed=0.03:nb_colors=4`
  const inputs = scenes.flatMap((colors, index) => {
    const palette = colors.map((color, number) => `c${number}=0x${color}`).join(':')
    return ['-f', 'lavfi', '-i', `gradients=${options}:${palette}:seed=${index + 3}`]
  })
  const sound = SCENE_SECONDS - PAUSE_SECONDS
  const audio = `aevalsrc='0.5*sin(2*PI*220*t)*(0.6+0.4*sin(3*t))*lt(mod(t,${SCENE_SECONDS}),${sound})':d=${FILM_SECONDS}`
  const joined = `concat=n=${scenes.length},scale=640:360:flags=bicubic`
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  const filters = ['-f', 'lavfi', '-i', audio, '-filter_complex', joined]
  await run('ffmpeg', ['-nostdin', '-y', '-v', 'error', ...inputs, ...filters, ...codecs, path])
  const { id } = await client.uploads.send(path, { title, resolutions: ['240p', '360p'] })
  await client.assets.waitUntilCompleted(id)
  return id
}

const POINTS_PER_SECOND = 20

/** The loudness of the film from 0 to 255, with the pauses. */
function loudnessAt(seconds: number, index: number): number {
  const inScene = seconds % SCENE_SECONDS
  if (inScene >= SCENE_SECONDS - PAUSE_SECONDS) return 1 + (index % 2)
  const speech = 0.55 + 0.25 * Math.sin(seconds * 3) + 0.2 * Math.sin(index * 2.4) * Math.sin(index * 0.37)
  return Math.round(255 * Math.min(1, Math.max(0.12, speech)))
}

/** A waveform file with three levels: see the format in the dashboard, `timeline/waveform.ts`. */
function waveformFile(seconds: number): Buffer {
  const finest = Array.from({ length: seconds * POINTS_PER_SECOND }, (_, index) =>
    loudnessAt(index / POINTS_PER_SECOND, index),
  )
  const levels = [finest]
  while (levels.length < 3) {
    const [finer = []] = levels
    levels.unshift(
      Array.from({ length: Math.ceil(finer.length / 4) }, (_, part) =>
        Math.max(...finer.slice(part * 4, part * 4 + 4)),
      ),
    )
  }
  const header = Buffer.alloc(2 + levels.length * 4)
  header.writeUInt8(1, 0)
  header.writeUInt8(levels.length, 1)
  for (const [index, level] of levels.entries()) header.writeUInt32LE(level.length, 2 + index * 4)
  return Buffer.concat([header, Buffer.from(levels.flat())])
}

/** Gives a video without files a generated waveform. */
async function serveWaveform(page: Page, id: string, seconds: number): Promise<void> {
  const path = '/play/generated-waveform'
  await page.route(`**${path}`, (route) =>
    route.fulfill({ contentType: 'application/gzip', body: gzipSync(waveformFile(seconds)) }),
  )
  await page.route(`**/assets/${id}/`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const response = await route.fetch()
    const asset = (await response.json()) as { readonly video: object }
    const url = new URL(path, page.url()).href
    await route.fulfill({ response, json: { ...asset, video: { ...asset.video, waveform_url: url } } })
  })
}

export const studioUrl = ({ origin, organizationId }: LibraryFixture, id: string) =>
  `${origin}/o/${organizationId}/videos/${id}/chapters`

/**
 * Opens the chapter editor of a video and waits until it can be used. `seconds` is the duration of a video without
 * files, which gets a generated waveform.
 */
export async function openStudio(page: Page, fixture: LibraryFixture, id: string, seconds?: number): Promise<void> {
  // Addresses of files are relative to the page.
  await page.goto(`${fixture.origin}/o/${fixture.organizationId}/uploads`)
  if (seconds !== undefined) await serveWaveform(page, id, seconds)
  await page.goto(studioUrl(fixture, id))
  await page.getByRole('heading', { level: 1, name: 'Chapters' }).waitFor()
  await page.getByRole('slider', { name: 'Position' }).waitFor()
}
