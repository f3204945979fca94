/** Malformed ISO media files (MP4, MOV): each is a valid film with one error. */
import { deflateSync } from 'node:zlib'
import { ascii, box, boxWithSize, editBoxes, patched, randomBytes, uint16, uint32, uint64 } from './bytes.ts'
import { anyResult, type HostileRecipe, refused } from './hostile-file.ts'
import { canaryUrl } from './texts.ts'

const ftyp = box('ftyp', ascii('isom'), uint32(512), ascii('isomiso2avc1mp41'))
const UINT32_MAX = uint32(0xffff_ffff)

/**
 * Changes the duration fields. In `mvhd`, the duration follows the name, version and flags, two times and the
 * timescale.
 */
const durations = (film: Buffer, value: Buffer) => {
  const movie = patched(film, 'mvhd', 20, value)
  return patched(patched(movie, 'tkhd', 24, value), 'mdhd', 20, value)
}

const withTracks = (film: Buffer, count: number) => {
  let done = false
  return editBoxes(film, (name, whole) => {
    if (name !== 'trak' || done) return undefined
    done = true
    return Buffer.concat(Array.from({ length: count }, () => whole))
  })
}

/** Makes a film reference samples in another file: the classic way to make a player open that file. */
const externalSamples = (film: Buffer, entry: Buffer) =>
  editBoxes(film, (name) => (name === 'dref' ? box('dref', uint32(0), uint32(1), entry) : undefined))

const alias = Buffer.concat([
  Buffer.alloc(150),
  uint16(0),
  uint16(11),
  ascii('/etc/passwd\0'),
  uint16(0xffff),
  uint16(0),
])

const reference = (url: string) =>
  box(
    'moov',
    box('rmra', box('rmda', box('rdrf', uint32(0), ascii('url '), uint32(url.length + 1), ascii(`${url}\0`)))),
  )

const nested = (name: string, depth: number) => {
  const size = depth * 8
  return Buffer.concat(Array.from({ length: depth }, (_, level) => boxWithSize(name, size - level * 8)))
}

/** A compressed header that unpacks to far more than its size. */
const packedHeader = (declared: number, unpacked: number) =>
  box(
    'moov',
    box('cmov', box('dcom', ascii('zlib')), box('cmvd', uint32(declared), deflateSync(Buffer.alloc(unpacked)))),
  )

const tables = ['stts', 'stsc', 'stsz', 'stco', 'ctts', 'stss'] as const

function malformedTables(film: Buffer): HostileRecipe[] {
  return tables
    .filter((name) => film.includes(name))
    .flatMap((name) => [
      anyResult(`${name}-endless.mp4`, patched(film, name, name === 'stsz' ? 12 : 8, UINT32_MAX)),
      anyResult(`${name}-2-billion.mp4`, patched(film, name, name === 'stsz' ? 12 : 8, uint32(0x7fff_ffff))),
      anyResult(`${name}-noise.mp4`, patched(film, name, 12, randomBytes(name.charCodeAt(3), 64))),
    ])
}

const malformedHeaders = (film: Buffer): HostileRecipe[] => [
  refused('duration-2-32.mp4', durations(film, UINT32_MAX)),
  refused('duration-2-31.mp4', durations(film, uint32(0x7fff_ffff)), 'video_too_long'),
  anyResult('duration-0.mp4', durations(film, uint32(0))),
  anyResult('timescale-0.mp4', patched(patched(film, 'mvhd', 16, uint32(0)), 'mdhd', 16, uint32(0))),
  refused('timescale-1.mp4', patched(durations(film, uint32(900_000)), 'mvhd', 16, uint32(1))),
  refused(
    'size-65535.mp4',
    patched(film, 'avc1', 28, Buffer.concat([uint16(65_535), uint16(65_535)])).fill(
      0,
      film.indexOf('avcC') + 4,
      film.indexOf('avcC') + 40,
    ),
  ),
  anyResult('size-0.mp4', patched(film, 'avc1', 28, uint32(0))),
  ...Array.from({ length: 6 }, (_, seed) =>
    anyResult(`codec-noise-${seed}.mp4`, patched(film, 'avcC', 4, randomBytes(seed + 50, 30))),
  ),
  refused('tracks-150.mp4', withTracks(film, 150), 'too_many_streams'),
  refused('tracks-20000.mp4', withTracks(film, 20_000), 'too_many_streams', 'probe_too_costly'),
  anyResult('elsewhere-http.mp4', externalSamples(film, box('url ', uint32(0), ascii(`${canaryUrl}\0`)))),
  anyResult('elsewhere-file.mp4', externalSamples(film, box('url ', uint32(0), ascii('file:///etc/passwd\0')))),
  anyResult('elsewhere-urn.mp4', externalSamples(film, box('urn ', uint32(0), ascii(`x\0${canaryUrl}\0`)))),
  anyResult('elsewhere-alias.mov', externalSamples(film, box('alis', uint32(0), alias))),
  refused('reference-http.mov', Buffer.concat([ftyp, reference(canaryUrl)]), 'file_damaged'),
  refused('reference-file.mov', Buffer.concat([ftyp, reference('file:///etc/passwd')]), 'file_damaged'),
]

const malformedBoxes = (film: Buffer): HostileRecipe[] => [
  ...['moov', 'udta', 'trak', 'meta', 'moof'].map((name) =>
    refused(`nested-${name}.mp4`, Buffer.concat([ftyp, nested(name, 20_000)])),
  ),
  refused('moov-of-2-gib.mp4', Buffer.concat([ftyp, boxWithSize('moov', 0x7fff_ffff, randomBytes(3, 4096))])),
  refused('moov-of-zeros.mp4', Buffer.concat([ftyp, box('moov', Buffer.alloc(2 ** 20))])),
  refused('boxes-of-zero.mp4', Buffer.concat([ftyp, Buffer.alloc(2 ** 20)])),
  refused('boxes-of-eight.mp4', Buffer.concat([ftyp, ...Array.from({ length: 100_000 }, () => box('free'))])),
  refused('box-of-2-63.mp4', Buffer.concat([ftyp, boxWithSize('mdat', 1, uint64(2n ** 63n - 1n))])),
  refused('packed-header-500-mb.mov', Buffer.concat([ftyp, packedHeader(500_000_000, 500_000_000)])),
  refused('packed-header-2-gib.mov', Buffer.concat([ftyp, packedHeader(0x7fff_fff0, 1000)])),
  anyResult('edits-noise.mp4', film.includes('elst') ? patched(film, 'elst', 8, UINT32_MAX) : film),
]

export const mp4Recipes = (film: Buffer): HostileRecipe[] => [
  ...malformedHeaders(film),
  ...malformedBoxes(film),
  ...malformedTables(film),
]
