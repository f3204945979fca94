/** A small video in CMAF segments, as the service would encode it, created with ffmpeg and shaka-packager. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { NewPart, VideoPlan } from '@reelkeep/testkit'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const packager = join(dirname(require.resolve('shaka-packager/package.json')), `bin/packager-linux-${process.arch}`)

export const SEGMENT_SECONDS = 2
export const FRAMES_PER_SECOND = 30

const renditions = [
  { name: '240p', width: 426, height: 240, bitrateMax: 400_000 },
  { name: '480p', width: 854, height: 480, bitrateMax: 1_500_000 },
]

export type PackagedVideo = {
  readonly plan: VideoPlan
  /** Segments `first` (inclusive) to `end` (exclusive) of a track, as an encoder attempt would publish them. */
  part(track: string, first: number, end: number): NewPart
}

export async function packageVideo(segmentsTotal: number): Promise<PackagedVideo> {
  const folder = await mkdtemp(join(tmpdir(), 'reelkeep-packaged-'))
  try {
    await encode(folder, segmentsTotal * SEGMENT_SECONDS)
    await packageTracks(folder)
    const tracks = new Map<string, Omit<NewPart, 'firstSegment'>>()
    for (const name of [...renditions.map(({ name }) => name), 'audio']) {
      tracks.set(name, await readTrack(folder, name))
    }
    return {
      plan: planOf(segmentsTotal),
      part(track, first, end) {
        const all = tracks.get(track)
        if (!all) throw new Error(`Unknown track ${track}`)
        return { ...all, firstSegment: first, segments: all.segments.slice(first, end) }
      },
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const planOf = (segmentsTotal: number): VideoPlan => ({
  durationSeconds: segmentsTotal * SEGMENT_SECONDS,
  frameRate: { numerator: FRAMES_PER_SECOND, denominator: 1 },
  segmentFrames: FRAMES_PER_SECOND * SEGMENT_SECONDS,
  gopFrames: FRAMES_PER_SECOND * SEGMENT_SECONDS,
  audio: { channels: 2, sampleRate: 48_000 },
  tracks: [
    ...renditions.map((rendition) => ({ ...rendition, segmentsTotal, codecs: 'avc1.64001e' })),
    { name: 'audio', bitrateMax: 128_000, segmentsTotal, codecs: 'mp4a.40.2' },
  ],
})

async function encode(folder: string, seconds: number): Promise<void> {
  const size = 'size=854x480'
  const rate = `rate=${FRAMES_PER_SECOND}`
  const gop = String(FRAMES_PER_SECOND * SEGMENT_SECONDS)
  const x264 = `-c:v libx264 -preset ultrafast -profile:v high -level 3.0 -pix_fmt yuv420p -g ${gop} -keyint_min ${gop} -sc_threshold 0`
  await run(
    'ffmpeg',
    [
      '-hide_banner -loglevel error -nostdin',
      `-f lavfi -i testsrc2=${size}:${rate}:duration=${seconds}`,
      `-f lavfi -i sine=frequency=440:sample_rate=48000:duration=${seconds}`,
      ...renditions.map(({ name, width, height }) => `-map 0:v -s ${width}x${height} ${x264} ${name}.mp4`),
      '-map 1:a -c:a aac -b:a 128k -ac 2 audio.mp4',
    ].flatMap((options) => options.split(' ')),
    { cwd: folder },
  )
}

async function packageTracks(folder: string): Promise<void> {
  const output = (name: string) =>
    `init_segment=${name}/init.mp4,segment_template=${name}/$Number%05d$.m4s,playlist_name=${name}.m3u8`
  await run(
    packager,
    [
      ...renditions.map(
        ({ name }) => `in=${name}.mp4,stream=video,${output(name)},iframe_playlist_name=${name}-iframes.m3u8`,
      ),
      `in=audio.mp4,stream=audio,${output('audio')}`,
      `--segment_duration=${SEGMENT_SECONDS}`,
      '--hls_master_playlist_output=master.m3u8',
      '--quiet',
    ],
    { cwd: folder },
  )
}

/** Reads segment durations and keyframe offsets from the packager's playlists. */
async function readTrack(folder: string, name: string): Promise<Omit<NewPart, 'firstSegment'>> {
  const listed = await readFile(join(folder, `${name}.m3u8`), 'utf8')
  const iframes = name === 'audio' ? '' : await readFile(join(folder, `${name}-iframes.m3u8`), 'utf8')
  const keyframes = [...iframes.matchAll(/#EXT-X-BYTERANGE:(\d+)@(\d+)/g)]
  const segments = [...listed.matchAll(/#EXTINF:([\d.]+),\S*\n(\S+)/g)]
  return {
    track: name,
    attempt: 'video-encode-1',
    init: await readFile(join(folder, name, 'init.mp4')),
    segments: await Promise.all(
      segments.map(async ([, seconds, path], index) => {
        const [, bytes, offset] = keyframes[index] ?? []
        return {
          body: await readFile(join(folder, path ?? '')),
          seconds: Number(seconds),
          keyframes:
            bytes === undefined ? [] : [{ bytes: Number(bytes), offset: Number(offset), seconds: Number(seconds) }],
        }
      }),
    ),
  }
}
