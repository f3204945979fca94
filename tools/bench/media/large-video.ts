/**
 * Creates videos of any size within seconds, by repeating a short clip with a high bitrate without encoding it again.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Duration of the clip. With its bitrate, a video of a given size is about as long as a typical upload; the size of the
 * index depends on the number of frames.
 */
const CLIP_SECONDS = 20
const CLIP_RATE = '8M'

/** Container options for each kind of file. */
export const kinds = {
  'mp4, index first': { name: 'front.mp4', options: ['-movflags', '+faststart'] },
  'mp4, index last': { name: 'end.mp4', options: [] },
  'mov, index last': { name: 'end.mov', options: [] },
  matroska: { name: 'a.mkv', options: [] },
  'matroska, never finished': { name: 'live.mkv', options: ['-f', 'matroska', '-live', '1'] },
  'mpeg-ts': { name: 'a.ts', options: [] },
} as const

export type Kind = keyof typeof kinds

/** Writes a clip into the folder; returns its path. */
export async function makeClip(folder: string): Promise<string> {
  const path = join(folder, 'clip.mkv')
  await ffmpeg([
    ...['-f', 'lavfi', '-i', `testsrc2=s=1280x720:r=30:d=${CLIP_SECONDS},noise=alls=20:allf=t`],
    ...['-f', 'lavfi', '-i', `sine=d=${CLIP_SECONDS}`],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60'],
    ...['-b:v', CLIP_RATE, '-minrate', CLIP_RATE, '-maxrate', CLIP_RATE, '-bufsize', CLIP_RATE],
    ...['-c:a', 'aac', path],
  ])
  return path
}

/** Repeats the clip until the file has at least this many bytes. */
export async function makeVideo(
  clip: { readonly path: string; readonly bytes: number },
  folder: string,
  kind: Kind,
  bytes: number,
): Promise<string> {
  const { name, options } = kinds[kind]
  const path = join(folder, name)
  const repeats = Math.ceil(bytes / clip.bytes) - 1
  await ffmpeg(['-stream_loop', String(repeats), '-i', clip.path, '-c', 'copy', ...options, path])
  return path
}

const ffmpeg = (options: readonly string[]) => run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...options])
