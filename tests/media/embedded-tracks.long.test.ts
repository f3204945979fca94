/** Tests that the pipeline imports chapters and subtitles from the uploaded file. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { chapters } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from './media-fixture.ts'

const run = promisify(execFile)
const fixture = await opened(openMediaFixture('carrying'))

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-carrying-test-'))
  await fixture.startWorker()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** A chapter in ffmpeg's metadata format; times are in seconds. */
const chapter = (title: string, start: number, end: number) =>
  `[CHAPTER]\nTIMEBASE=1/1\nSTART=${start}\nEND=${end}\ntitle=${title}\n`

const srt = '1\n00:00:01,000 --> 00:00:03,000\nGrüße aus dem Film\n'
const sentence = 'The birch canoe slid on the smooth planks.'

/** Creates a film with English speech and German subtitles. */
async function createSpokenFilm(): Promise<string> {
  const film = join(directory, 'spoken.mkv')
  const subtitles = join(directory, 'subtitles.srt')
  await writeFile(subtitles, srt)
  const inputs = [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=4'],
    ...['-f', 'lavfi', '-i', `flite=text='${sentence}':voice=slt`, '-i', subtitles],
  ]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  const tracks = ['-map', '0:v', '-map', '1:a', '-map', '2:s', '-metadata:s:s:0', 'language=ger']
  await run('ffmpeg', ['-v', 'error', ...inputs, ...tracks, ...codecs, '-t', '4', film])
  return film
}

async function createFilm(): Promise<string> {
  const film = join(directory, 'with-chapters.mkv')
  const chapters = join(directory, 'chapters.txt')
  await writeFile(chapters, `;FFMETADATA1\n${chapter('Opening', 0, 2)}${chapter('The rest', 2, 4)}`)
  const video = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=4']
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
  await run('ffmpeg', ['-v', 'error', ...video, '-i', chapters, '-map_chapters', '1', ...codec, film])
  return film
}

it('the pipeline imports the chapters of the file, and they can be deleted', async () => {
  const caller = await fixture.newCaller()
  const assetId = await uploadVideo(caller, await createFilm(), { resolutions: ['240p'] })
  await waitForVideo(caller, assetId, isCompleted, 60)
  const list = `assets/${assetId}/chapters/`
  const { body } = await caller.get<{ results: chapters.Chapter[] }>(list)
  expect(body.results).toEqual([
    { id: 1, title: 'Opening', start_time: '00:00:00', start_seconds: 0 },
    { id: 2, title: 'The rest', start_time: '00:00:02', start_seconds: 2 },
  ])
  expect((await caller.delete(`${list}1/`)).status).toBe(204)
  expect((await caller.get<{ count: number }>(list)).body.count).toBe(1)
})

const textOf = async (url: string) => {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return response.text()
}

it('the pipeline imports subtitles of the file and generates others; HLS and DASH list all of them', async () => {
  const caller = await fixture.newCaller()
  const options = { resolutions: ['240p'], generate_subtitle: true }
  const assetId = await uploadVideo(caller, await createSpokenFilm(), options)
  const video = await waitForVideo(caller, assetId, isCompleted, 90)
  const urlOf = (wantedLanguage: string) =>
    video.tracks.find(({ kind, language }) => kind === 'subtitles' && language === wantedLanguage)?.url ?? ''
  expect(await textOf(urlOf('de'))).toContain('Grüße aus dem Film')
  const transcript = await textOf(urlOf('en'))
  expect(transcript.toLowerCase()).toMatch(/canoe|smooth|planks/)

  const master = await textOf(video.playback_url ?? '')
  expect(master.match(/#EXT-X-MEDIA:TYPE=SUBTITLES.*LANGUAGE="(de|en)"/g)).toHaveLength(2)
  const manifest = await textOf(video.dash_url ?? '')
  expect(manifest.match(/mimeType="text\/vtt"/g)).toHaveLength(2)
})
