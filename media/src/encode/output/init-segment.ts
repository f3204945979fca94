/** The header of a track. It is identical in all parts, so a player that has read it can play all of them. */
import { boxesIn } from '../../probe/container/fragments.ts'

/**
 * Boxes that differ between runs: the duration of the run, which is wrong for the whole track, and
 * the packager's version, which may change between two parts.
 */
const runBoxes = ['mehd', 'meta']
const parentBoxes = ['moov', 'mvex']

/** Removes boxes that differ between runs. */
export const withoutRunBoxes = (init: Buffer): Buffer => removeRunBoxes(init, 0, init.length)

function removeRunBoxes(init: Buffer, start: number, end: number): Buffer {
  const boxes = boxesIn(init, start, end)
  const kept = boxes
    .filter(({ name }) => !runBoxes.includes(name))
    .map((box) =>
      parentBoxes.includes(box.name)
        ? boxOf(box.name, removeRunBoxes(init, box.start, box.end))
        : boxOf(box.name, init.subarray(box.start, box.end)),
    )
  const rest = init.subarray(boxes.at(-1)?.end ?? start, end)
  return Buffer.concat([...kept, rest])
}

function boxOf(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(header.length + content.length)
  header.write(name, 4, 'latin1')
  return Buffer.concat([header, content])
}

/** Audio is always AAC-LC, which every device plays. */
const AAC = 'mp4a.40.2'

/** Codec string for playlists. Undefined if there is no known codec. */
export function codecsOf(init: Buffer): string | undefined {
  const isHeader = boxesIn(init, 0, init.length).some(({ name }) => name === 'moov')
  if (!isHeader) return undefined
  if (init.includes('mp4a')) return AAC
  const at = init.indexOf('avcC')
  // In `avcC`, the profile, constraints and level follow the version.
  return at < 0 || at + 8 > init.length ? undefined : `avc1.${init.toString('hex', at + 5, at + 8)}`
}

/** Ticks per second of the track. */
export function timescaleOf(init: Buffer): number | undefined {
  const at = init.indexOf('mdhd') + 4
  if (at < 4 || at + 24 > init.length) return undefined
  return init.readUInt32BE(at + (init[at] === 1 ? 20 : 12))
}

/** Media time skipped by the edit list; presentation starts this much earlier. */
export function skippedTicksOf(init: Buffer): number {
  const at = init.indexOf('elst') + 4
  if (at < 4 || at + 24 > init.length) return 0
  // In `elst`, the media time follows the version, the number of edits and the duration of the first edit.
  return init[at] === 1 ? Number(init.readBigInt64BE(at + 16)) : init.readInt32BE(at + 12)
}
