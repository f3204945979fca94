import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createOnce } from '../cache.ts'
import { sourceRecipes, textSources } from './source-recipes.ts'

const run = promisify(execFile)

/** Creates small videos with all known difficulties once, and returns their directory. */
export function createSources(): Promise<string> {
  return createOnce('sources', [sourceRecipes, textSources], async (directory) => {
    for (const [name, text] of Object.entries(textSources)) await writeFile(join(directory, name), text)
    for (const [name, recipe] of Object.entries(sourceRecipes)) {
      const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-bitexact']
      await run('ffmpeg', [...quiet, ...recipe, name], { cwd: directory })
    }
    await createDamaged(directory)
  })
}

/** Creates truncated and damaged files. */
async function createDamaged(directory: string): Promise<void> {
  const plain = await readFile(join(directory, 'plain.mp4'))
  await writeFile(join(directory, 'truncated.mp4'), plain.subarray(0, plain.length / 2))
  // The index of `hollow.mp4` is intact, but its media data is not.
  const hollow = await readFile(join(directory, 'moov-first.mp4'))
  const mediaAt = hollow.indexOf('mdat') + 4
  await writeFile(
    join(directory, 'hollow.mp4'),
    Buffer.concat([hollow.subarray(0, mediaAt), Buffer.alloc(hollow.length - mediaAt, 0xa5)]),
  )
  const fragments = await readFile(join(directory, 'fragmented.mp4'))
  await writeFile(join(directory, 'fragmented-late.mp4'), anHourLater(fragments))
  const damaged = Buffer.from(hollow)
  damaged.fill(0x5a, Math.floor(hollow.length * 0.6), Math.floor(hollow.length * 0.7))
  await writeFile(join(directory, 'damaged-later.mp4'), damaged)
}

/**
 * Changes a file to a part of a broadcast: timestamps start at one hour. The file has one track with 15,360
 * ticks per second.
 */
function anHourLater(fragmented: Buffer): Buffer {
  const later = Buffer.from(fragmented)
  for (let at = later.indexOf('tfdt'); at >= 0; at = later.indexOf('tfdt', at + 4)) {
    later.writeBigUInt64BE(later.readBigUInt64BE(at + 8) + 3600n * 15_360n, at + 8)
  }
  return later
}
