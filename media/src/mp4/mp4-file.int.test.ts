/** Joins real renditions into an MP4 file, and compares it with the tracks it consists of. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decode, type EncodedVideo, encodeVideo, packetsOf, tracksOf } from '../../testing/encoded-video.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'
import type { EncodedSegment } from '../encode/output/encoded-part.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'
import { asAudioSegment, mp4Header } from './mp4-file.ts'

const SECONDS = 9
const plan = planOf({
  ...{ durationSeconds: SECONDS, audioStream: 1, chunkSegments: 1 },
  rungs: [rungOf('240p', 64, 36)],
})
let folder: string
let encoded: EncodedVideo
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mp4-file-'))
  const sandbox = await openSandbox({ mode: 'bubblewrap' })
  encoded = await encodeVideo(sandbox, localFile(join(await createLongSources(), 'sixty.mp4')), plan)
}, 300_000)
afterAll(async () => {
  await encoded[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function writeMp4(name: string, hasAudio: boolean): Promise<string> {
  const tracks = (['240p', 'audio'] as const).map((track) => tracksOf(encoded.parts, track))
  const [video = [], audio = []] = tracks.map((parts) => parts.flatMap(({ segments }) => segments))
  const inits = await Promise.all(tracks.map((parts) => readFile(parts[0]?.init.path ?? '')))
  const sounds: readonly EncodedSegment[] = hasAudio ? audio : []
  const groups = video.map(({ bytes, seconds }, index) => ({ bytes: bytes + (sounds[index]?.bytes ?? 0), seconds }))
  const init = { video: inits[0] as Buffer, audio: hasAudio ? (inits[1] as Buffer) : null }
  const blocks = [mp4Header({ ...init, durationSeconds: SECONDS, groups })]
  for (const [index, { path }] of video.entries()) {
    blocks.push(await readFile(path))
    const sound = sounds[index]
    if (sound) blocks.push(asAudioSegment(await readFile(sound.path)))
  }
  const path = join(folder, name)
  await writeFile(path, Buffer.concat(blocks))
  return path
}

const probeOf = (path: string) =>
  JSON.parse(
    execFileSync('ffprobe', ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path], {
      encoding: 'utf8',
    }),
  )

describe('an MP4 file', () => {
  it('has the video and the audio, both with the right duration', async () => {
    const { format, streams } = probeOf(await writeMp4('both.mp4', true))
    expect(streams).toMatchObject([
      { codec_name: 'h264', width: 64, start_time: '0.000000' },
      { codec_name: 'aac', start_time: '0.000000' },
    ])
    for (const { duration } of [format, ...streams]) expect(Number(duration)).toBeCloseTo(SECONDS, 1)
  })

  it.each([
    ['240p', ['-map', '0:v', '-f', 'rawvideo', '-pix_fmt', 'gray']],
    ['audio', ['-map', '0:a', '-f', 's16le']],
  ] as const)('decodes to the same frames as the track %s alone', async (track, given) => {
    const file = await writeMp4(`${track}.mp4`, true)
    const [whole, alone] = await Promise.all([decode(file, given), decode(await encoded.join(track), given)])
    expect(whole.length).toBeGreaterThan(0)
    expect(whole.equals(alone)).toBe(true)
  })

  it('can be sought to any segment', async () => {
    const file = await writeMp4('seek.mp4', true)
    const frame = ['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'gray', '-']
    const at = (path: string) => execFileSync('ffmpeg', ['-v', 'error', '-ss', '8.5', '-i', path, ...frame])
    expect(at(file).equals(at(await encoded.join('240p')))).toBe(true)
  })

  it('may have no audio', async () => {
    const file = await writeMp4('silent.mp4', false)
    expect(probeOf(file).streams).toHaveLength(1)
    expect(await packetsOf(file)).toHaveLength(SECONDS * 30)
  })
})
