/** The header of a track: the same bytes with every part, so that a player that has read one can play all. */
import { boxesIn } from '../probe/fragments.ts'

/**
 * The packager writes how long the fragments of the run are, which a player takes from the playlist
 * and which is wrong for a track; and its own version, which is another from one part to the next
 * when it is replaced in between.
 */
const ofTheRun = ['mehd', 'meta']
const holders = ['moov', 'mvex']

/** Without what tells of the run that made it. */
export const sameInEveryPart = (init: Buffer): Buffer => withoutRun(init, 0, init.length)

function withoutRun(init: Buffer, start: number, end: number): Buffer {
  const boxes = boxesIn(init, start, end)
  const kept = boxes
    .filter(({ name }) => !ofTheRun.includes(name))
    .map((box) =>
      holders.includes(box.name)
        ? boxOf(box.name, withoutRun(init, box.start, box.end))
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

/** Sound is always what every device plays: AAC of low complexity. */
const AAC = 'mp4a.40.2'

/** As playlists name a codec. Undefined if there is none of ours in it. */
export function codecsOf(init: Buffer): string | undefined {
  const isHeader = boxesIn(init, 0, init.length).some(({ name }) => name === 'moov')
  if (!isHeader) return undefined
  if (init.includes('mp4a')) return AAC
  const at = init.indexOf('avcC')
  // Behind a version: profile, constraints and level.
  return at < 0 || at + 8 > init.length ? undefined : `avc1.${init.toString('hex', at + 5, at + 8)}`
}

/** Ticks a second of its track. */
export function timescaleOf(init: Buffer): number | undefined {
  const at = init.indexOf('mdhd') + 4
  if (at < 4 || at + 24 > init.length) return undefined
  return init.readUInt32BE(at + (init[at] === 1 ? 20 : 12))
}

/** What its edit list has a player leave out at the beginning: by so much, everything is shown earlier than it says. */
export function skippedTicksOf(init: Buffer): number {
  const at = init.indexOf('elst') + 4
  if (at < 4 || at + 24 > init.length) return 0
  // Behind a version, a number of edits and the length of the first.
  return init[at] === 1 ? Number(init.readBigInt64BE(at + 16)) : init.readInt32BE(at + 12)
}
