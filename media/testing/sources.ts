import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { madeOnce } from './cache.ts'
import { sourceRecipes, textSources } from './source-recipes.ts'

const run = promisify(execFile)

/** Small videos with every trap that is known, made once. Answers with their directory. */
export function makeSources(): Promise<string> {
  return madeOnce('sources', [sourceRecipes, textSources], async (directory) => {
    for (const [name, text] of Object.entries(textSources))
      await writeFile(join(directory, name), text)
    for (const [name, recipe] of Object.entries(sourceRecipes)) {
      const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-bitexact']
      await run('ffmpeg', [...quiet, ...recipe, name], { cwd: directory })
    }
    await makeBroken(directory)
  })
}

/** What happens to files on their way. */
async function makeBroken(directory: string): Promise<void> {
  const plain = await readFile(join(directory, 'plain.mp4'))
  await writeFile(join(directory, 'truncated.mp4'), plain.subarray(0, plain.length / 2))
  // The index stands; what it points at does not.
  const hollow = await readFile(join(directory, 'moov-first.mp4'))
  const mediaAt = hollow.indexOf('mdat') + 4
  await writeFile(
    join(directory, 'hollow.mp4'),
    Buffer.concat([hollow.subarray(0, mediaAt), Buffer.alloc(hollow.length - mediaAt, 0xa5)]),
  )
  const pieces = await readFile(join(directory, 'fragmented.mp4'))
  await writeFile(join(directory, 'fragmented-late.mp4'), anHourLater(pieces))
  const damaged = Buffer.from(hollow)
  damaged.fill(0x5a, Math.floor(hollow.length * 0.6), Math.floor(hollow.length * 0.7))
  await writeFile(join(directory, 'damaged-later.mp4'), damaged)
}

/**
 * As a piece of a broadcast is cut out: times go on counting from its beginning. There is one
 * track, of 15,360 ticks a second.
 */
function anHourLater(fragmented: Buffer): Buffer {
  const later = Buffer.from(fragmented)
  for (let at = later.indexOf('tfdt'); at >= 0; at = later.indexOf('tfdt', at + 4)) {
    later.writeBigUInt64BE(later.readBigUInt64BE(at + 8) + 3600n * 15_360n, at + 8)
  }
  return later
}
