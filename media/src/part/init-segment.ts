/** The header of a track: the same bytes with every part, so that a player that has read one can play all. */
import { boxesIn } from '../probe/fragments.ts'

/** The packager writes how long the fragments of the run are. A player takes that from the playlist; to a track it is wrong. */
export function withoutDuration(init: Buffer): Buffer {
  const changed = Buffer.from(init)
  const at = changed.indexOf('mehd')
  if (at < 4) return changed
  const end = at - 4 + changed.readUInt32BE(at - 4)
  changed.write('free', at, 'latin1')
  return changed.fill(0, at + 4, end)
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
