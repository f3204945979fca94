/** A film for benchmarks: moving, grainy frames, so that encoding has realistic costs. */
import { execFile } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit'

const run = promisify(execFile)

/** Creates the film once: 1080p at 30 fps, about 6 Mbit/s, a keyframe every 8 seconds like cameras, with audio. */
export async function makeBenchFilm(seconds: number): Promise<string> {
  const path = join(root, `.stack/media/bench-${seconds}.mp4`)
  if (await stat(path).catch(() => undefined)) return path
  await mkdir(dirname(path), { recursive: true })
  const picture = `testsrc2=size=1920x1080:rate=30:duration=${seconds}`
  const sound = `aevalsrc=0.2*sin(2*PI*(300+60*sin(t))*t):s=48000:d=${seconds}`
  await run('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound],
    ...['-vf', 'noise=alls=6:allf=t', '-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '6M'],
    ...['-g', '240', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-movflags', '+faststart', path],
  ])
  return path
}
