/** Malformed Matroska files. */
import { ascii, element, randomBytes, uint16, uint32, uint64 } from './bytes.ts'
import { anyResult, type HostileRecipe, refused } from './hostile-file.ts'
import { canaryUrl } from './texts.ts'

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TRACKS = 0x1654ae6b
const CLUSTER = 0x1f43b675
const CHAPTERS = 0x1043a770
const TAGS = 0x1254c367
const ATTACHMENTS = 0x1941a469

const header = element(EBML, element(0x4286, Buffer.from([1])), element(0x4282, ascii('matroska')))
const file = (...content: readonly Buffer[]) => Buffer.concat([header, element(SEGMENT, ...content)])

const video = (number: number, width = 64, height = 48) =>
  element(
    0xae,
    ...[element(0xd7, uint32(number)), element(0x73c5, uint32(number)), element(0x83, Buffer.from([1]))],
    ...[element(0x86, ascii('V_VP8')), element(0xe0, element(0xb0, uint32(width)), element(0xba, uint32(height)))],
  )
const block = (at: number, bytes: Buffer) => element(0xa3, Buffer.from([0x81]), uint16(at), Buffer.from([0x80]), bytes)
const cluster = (at: number, ...blocks: readonly Buffer[]) => element(CLUSTER, element(0xe7, uint32(at)), ...blocks)
const chapter = (uid: number, ...more: readonly Buffer[]) =>
  element(0xb6, element(0x73c4, uint32(uid)), element(0x91, uint64(0n)), ...more)

const double = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/** Changes the duration of a valid film. */
function withDuration(film: Buffer, value: number): Buffer {
  const at = film.indexOf(Buffer.from([0x44, 0x89, 0x88]))
  if (at < 0) throw new Error('no duration found')
  const copy = Buffer.from(film)
  double(value).copy(copy, at + 3)
  return copy
}

const nestedTags = (depth: number) => {
  let inner = element(0x45a3, ascii('NAME'))
  for (let level = 0; level < depth; level++) inner = element(0x67c8, inner)
  return element(TAGS, element(0x7373, inner))
}

const linked = element(
  CHAPTERS,
  element(0x45b9, element(0x45dd, Buffer.from([1])), chapter(1, element(0x6e67, randomBytes(9, 16)))),
)
const info = (...more: readonly Buffer[]) => element(INFO, element(0x2ad7b1, uint32(1_000_000)), ...more)

const withTracks = (count: number) =>
  file(info(), element(TRACKS, ...Array.from({ length: count }, (_, n) => video(n + 1))), cluster(0))

const durations = (film: Buffer) => [
  ...[Number.POSITIVE_INFINITY, Number.NaN, -1, 0, 1e-300, 1e300].map((value) =>
    anyResult(`duration-${value}.mkv`, withDuration(film, value)),
  ),
  refused('duration-100-hours.mkv', withDuration(film, 360_000_000), 'video_too_long'),
]

const contents = [
  refused('tracks-150.mkv', withTracks(150), 'too_many_streams'),
  refused('tracks-20000.mkv', withTracks(20_000), 'too_many_streams', 'probe_too_costly'),
  refused('size-2-32.mkv', file(info(), element(TRACKS, video(1, 0xffff_ffff, 0xffff_ffff)), cluster(0))),
  refused(
    'size-65535.mkv',
    file(info(), element(TRACKS, video(1, 65_535, 65_535)), cluster(0, block(0, randomBytes(1, 500)))),
    'picture_too_large',
    'file_damaged',
  ),
  refused('no-clusters.mkv', file(info(), element(TRACKS, video(1)))),
  refused(
    'clusters-of-nothing.mkv',
    file(info(), element(TRACKS, video(1)), ...Array.from({ length: 50_000 }, (_, n) => cluster(n))),
  ),
  refused(
    'clusters-of-noise.mkv',
    file(
      ...[info(), element(TRACKS, video(1))],
      ...Array.from({ length: 500 }, (_, n) => cluster(n * 40, block(0, randomBytes(n, 400)))),
    ),
  ),
]

const fill = (hex: string) => Buffer.from(hex, 'hex')
const tracks = element(TRACKS, video(1))
const elsewhere = info(element(0x3eb923, randomBytes(4, 16)), element(0x3e83bb, ascii(canaryUrl)))
const structures = [
  refused('header-only.mkv', header),
  refused('nested-tags.mkv', file(info(), nestedTags(3000), tracks)),
  refused('linked-segments.mkv', file(elsewhere, linked, tracks)),
  refused(
    'segments-in-segments.mkv',
    Buffer.concat([header, ...Array.from({ length: 5000 }, () => fill('18538067ff'))]),
  ),
  refused('void-forever.mkv', Buffer.concat([header, fill('1853806701ffffffffffffff'), fill('ec01fffffffffffffe')])),
  refused(
    'attachment-of-2-gib.mkv',
    file(info(), element(ATTACHMENTS, element(0x61a7, fill('465c01000000007fffffff'))), tracks),
  ),
  refused('timescale-0.mkv', file(element(INFO, element(0x2ad7b1, uint32(0))), tracks, cluster(0))),
]

export const matroskaRecipes = (film: Buffer): HostileRecipe[] => [...durations(film), ...contents, ...structures]
