import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A test film with sound; segments of four seconds. */
export function makeFilm(seconds: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'scrub-'))
  try {
    const path = join(folder, 'film.mp4')
    const sources = [
      `testsrc2=size=426x240:rate=25:duration=${seconds}`,
      `sine=frequency=440:duration=${seconds}`,
    ].flatMap((source) => ['-f', 'lavfi', '-i', source])
    const options = ['-v', 'error', '-nostdin', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
    execFileSync('ffmpeg', [...sources, ...options, path])
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
