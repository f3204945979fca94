/** Videos of several segments with difficulties at the start of a part. They are created once. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createOnce } from '../cache.ts'

const run = promisify(execFile)

const video = (rate: string, seconds: number, size = '320x180') => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
]
const tone = (seconds: number, rate = 48_000) => [
  ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${rate}:duration=${seconds}`],
]
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '30', '-pix_fmt', 'yuv420p']
const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '200k']
const aac = ['-c:a', 'aac', '-b:a', '128k']
const copy = (name: string) => ['-i', name, '-c', 'copy']

/** A video with white frames and a beep for a fifth of a second every five seconds, otherwise black and silent. */
const flashes = [
  ...['-f', 'lavfi', '-i', 'color=black:size=320x180:rate=30:duration=21'],
  ...['-f', 'lavfi', '-i', 'aevalsrc=0.5*sin(2*PI*1000*t)*lt(mod(t\\,5)\\,0.2):s=48000:d=21'],
  ...['-vf', "drawbox=c=white:t=fill:enable='lt(mod(t,5),0.2)'"],
]

const longRecipes: Readonly<Record<string, readonly string[]>> = {
  'plain.mp4': [...video('30', 21), ...tone(21), ...x264, ...aac],
  'ntsc.mp4': [...video('30000/1001', 14), ...tone(14), ...x264, ...aac],
  'film.mp4': [...video('24000/1001', 14), ...tone(14), ...x264, ...aac],
  'sixty.mp4': [...video('60', 13), ...tone(13), ...x264, ...aac],
  // This video has frames of different durations, some longer than two seconds.
  'variable-rate.mp4': [
    ...video('60', 21),
    ...['-vf', "select='if(lt(mod(t,7),4),not(mod(n*n,7)),eq(mod(n,150),0))'"],
    ...['-fps_mode', 'vfr', ...x264],
  ],
  'edit-list.mp4': ['-ss', '0.5', ...copy('plain.mp4')],
  'interlaced.mp4': [...[...video('50', 13), '-vf', 'interlace=scan=tff', '-flags', '+ilme+ildct', ...x264]],
  'plain.webm': [...video('30', 13), ...tone(13), ...vp9, '-c:a', 'libopus'],
  'live.webm': [...copy('plain.webm'), '-f', 'webm', '-live', '1'],
  // This video has AAC at 44.1 kHz and millisecond timestamps.
  'recording.mkv': [...video('30', 21), ...tone(21, 44_100), ...x264, ...aac],
  'cd-rate.mp4': [...video('30', 21), ...tone(21, 44_100), ...x264, ...aac],
  'late-audio.mp4': [...video('30', 21), '-itsoffset', '9.7', ...tone(4), ...x264, ...aac],
  'late-video.mkv': [...tone(21), '-itsoffset', '5.5', ...video('30', 15), ...x264, ...aac],
  'short-video.mp4': [...video('30', 6.2), ...tone(21), ...x264, ...aac],
  // This video has a keyframe every 8.33 s, and no index.
  'plain.ts': copy('plain.mp4'),
  // In this container, time starts with the stream that starts first.
  'late-audio.ts': [...video('30', 21), '-itsoffset', '2.3', ...tone(15), ...x264, ...aac],
  'late-video.ts': [...tone(21), '-itsoffset', '2.3', ...video('30', 15), ...x264, ...aac],
  'plain.mpg': ['-i', 'plain.mp4', '-c:v', 'mpeg2video', '-c:a', 'mp2', '-f', 'vob'],
  'plain.avi': ['-i', 'plain.mp4', '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  'plain.flv': copy('plain.mp4'),
  'fragmented.mp4': [...copy('plain.mp4'), ...['-movflags', 'frag_keyframe+empty_moov+default_base_moof+skip_trailer']],
  'flashes.mp4': [...flashes, ...x264, '-g', '250', ...aac],
  'flashes.mkv': copy('flashes.mp4'),
  'flashes.ts': copy('flashes.mp4'),
}

/** Creates the videos and returns their directory. */
export function createLongSources(): Promise<string> {
  return createOnce('long-sources', longRecipes, async (directory) => {
    for (const [name, recipe] of Object.entries(longRecipes)) {
      const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-bitexact']
      await run('ffmpeg', [...quiet, ...recipe, name], { cwd: directory })
    }
    const damaged = await readFile(join(directory, 'plain.mp4'))
    damaged.fill(0x5a, Math.floor(damaged.length * 0.5), Math.floor(damaged.length * 0.6))
    await writeFile(join(directory, 'damaged.mp4'), damaged)
  })
}
