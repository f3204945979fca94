/**
 * Joins a video track and an audio track into one MP4 file without touching a frame. Each stored segment is a sequence
 * of fragments whose positions are relative to the fragment (`moof`), so a fragmented MP4 is a header with both tracks,
 * followed by the segments as they are. Every track is stored as track 1; only the number of the audio track changes.
 */
import { boxesIn } from '../probe/container/fragments.ts'

const VIDEO_TRACK = 1
const AUDIO_TRACK = 2

/** Segments of the tracks that are played at the same time; they are neighbors in the file. */
export type SegmentGroup = { readonly bytes: number; readonly seconds: number }

export type Mp4Tracks = {
  /** Init segment of the video. */
  readonly video: Buffer
  /** Init segment of the audio; null if the video has none. */
  readonly audio: Buffer | null
  readonly durationSeconds: number
  /** Segments in the order of the file, for the index with which players seek. */
  readonly groups: readonly SegmentGroup[]
}

/** Returns the file up to its first segment. */
export function mp4Header({ video, audio, durationSeconds, groups }: Mp4Tracks): Buffer {
  const movie = contentOf(video, ['moov'])
  const movieHeader = Buffer.from(contentOf(movie, ['mvhd']))
  // The movie header ends with the number of the next track.
  movieHeader.writeUInt32BE(AUDIO_TRACK + 1, movieHeader.length - 4)
  const timescale = movieHeader.readUInt32BE(movieHeader[0] === 1 ? 20 : 12)
  const sound = audio && withTrackNumber(contentOf(audio, ['moov']))
  const moov = boxOf(
    'moov',
    boxOf('mvhd', movieHeader),
    boxOf('trak', contentOf(movie, ['trak'])),
    ...(sound ? [boxOf('trak', contentOf(sound, ['trak']))] : []),
    boxOf(
      'mvex',
      boxOf('mehd', fields(LONG_FORM, BigInt(Math.round(durationSeconds * timescale)))),
      boxOf('trex', contentOf(movie, ['mvex', 'trex'])),
      ...(sound ? [boxOf('trex', contentOf(sound, ['mvex', 'trex']))] : []),
    ),
  )
  const mediaTimescale = contentOf(movie, ['trak', 'mdia', 'mdhd'])
  return Buffer.concat([fileType, moov, indexOf(groups, timescaleOf(mediaTimescale))])
}

/** Returns an audio segment as part of the file of `mp4Header`. The length does not change. */
export function asAudioSegment(segment: Buffer): Buffer {
  const copy = Buffer.from(segment)
  for (const moof of boxesIn(copy, 0, copy.length).filter(({ name }) => name === 'moof')) {
    for (const traf of boxesIn(copy, moof.start, moof.end).filter(({ name }) => name === 'traf')) {
      const header = boxesIn(copy, traf.start, traf.end).find(({ name }) => name === 'tfhd')
      if (!header) throw new Error('A fragment of the audio has no header')
      copy.writeUInt32BE(AUDIO_TRACK, header.start + 4)
    }
  }
  return copy
}

/** Brands of a fragmented file that starts with an index, as FFmpeg writes them. */
const fileType = boxOf('ftyp', Buffer.from('iso5\0\0\x02\0iso5iso6mp41', 'latin1'))

/** Version 1, without flags: times have 64 bits. */
const LONG_FORM = 1 << 24

/** Number of entries that the index can hold. At four seconds per segment, a video of three days needs as many. */
const INDEX_ENTRIES_MAX = 0xffff
/** Every group of segments starts with a keyframe (stream access point of type 1). */
const STARTS_WITH_KEYFRAME = 0x90000000

/** The segment index (`sidx`). Segments beyond its limit are played too, but a player cannot seek to them directly. */
function indexOf(groups: readonly SegmentGroup[], timescale: number): Buffer {
  const listed = groups.slice(0, INDEX_ENTRIES_MAX)
  const entries = listed.flatMap(({ bytes, seconds }) => [bytes, Math.round(seconds * timescale), STARTS_WITH_KEYFRAME])
  const start = [VIDEO_TRACK, timescale, 0n, 0n]
  return boxOf('sidx', fields(LONG_FORM, ...start, listed.length, ...entries))
}

/** Writes numbers with 32 bits, and bigints with 64. */
function fields(...values: readonly (number | bigint)[]): Buffer {
  const bytes = Buffer.alloc(values.reduce<number>((sum, value) => sum + (typeof value === 'bigint' ? 8 : 4), 0))
  let at = 0
  for (const value of values)
    at = typeof value === 'bigint' ? bytes.writeBigUInt64BE(value, at) : bytes.writeUInt32BE(value, at)
  return bytes
}

function withTrackNumber(moov: Buffer): Buffer {
  const copy = Buffer.from(moov)
  const track = contentOf(copy, ['trak', 'tkhd'])
  track.writeUInt32BE(AUDIO_TRACK, track[0] === 1 ? 20 : 12)
  contentOf(copy, ['mvex', 'trex']).writeUInt32BE(AUDIO_TRACK, 4)
  return copy
}

const timescaleOf = (mediaHeader: Buffer) => mediaHeader.readUInt32BE(mediaHeader[0] === 1 ? 20 : 12)

/** The content of the first box at this path, in the same memory. */
function contentOf(parent: Buffer, path: readonly string[]): Buffer {
  let content = parent
  for (const name of path) {
    const box = boxesIn(content, 0, content.length).find((child) => child.name === name)
    if (!box) throw new Error(`The init segment has no box ${path.join('/')}`)
    content = content.subarray(box.start, box.end)
  }
  return content
}

function boxOf(name: string, ...contents: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(header.length + contents.reduce((sum, { length }) => sum + length, 0))
  header.write(name, 4, 'latin1')
  return Buffer.concat([header, ...contents])
}
