import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createOnce } from '../cache.ts'

const run = promisify(execFile)
const ffmpeg = (directory: string, ...given: readonly string[]) =>
  run('ffmpeg', ['-v', 'error', '-nostdin', ...given], { cwd: directory })

const loop = [
  '-f',
  'lavfi',
  '-i',
  'testsrc2=size=1920x1080:rate=30:duration=10',
  '-f',
  'lavfi',
  '-i',
  'sine=duration=10',
]
const encoded = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv420p', '-c:a', 'aac']

/**
 * Recipes for the same video in each container, with about the requested size. The files differ in how they store
 * their index.
 */
const containers: Readonly<Record<string, readonly string[]>> = {
  'moov-last.mp4': [],
  'moov-first.mp4': ['-movflags', '+faststart'],
  'fragmented.mp4': ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'],
  'fragmented-no-index.mp4': ['-movflags', 'frag_keyframe+empty_moov+default_base_moof+skip_trailer'],
  'indexed.mkv': [],
  'live.mkv': ['-f', 'matroska', '-live', '1'],
  'stream.ts': [],
  'old.avi': [],
  'old.flv': [],
}

/** Creates files so large that reading them completely would be noticeable. Returns their paths. */
export async function createLargeSources(gibibytes: number): Promise<string[]> {
  const recipe = [gibibytes, loop, encoded, containers]
  const directory = await createOnce('large', recipe, async (draft) => {
    await ffmpeg(draft, ...loop, ...encoded, 'loop.mp4')
    const { size } = await stat(join(draft, 'loop.mp4'))
    const times = Math.ceil((gibibytes * 2 ** 30) / size)
    for (const [name, given] of Object.entries(containers)) {
      await ffmpeg(draft, '-stream_loop', String(times), '-i', 'loop.mp4', '-c', 'copy', ...given, name)
    }
  })
  return Object.keys(containers).map((name) => join(directory, name))
}
