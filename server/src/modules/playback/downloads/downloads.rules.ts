/** File names, renditions and bytes of downloads. */
import { containers, type SegmentGroup, type StreamTrack } from '@reelkeep/media'
import { refused } from '../../../kernel/errors.ts'
import type { PlannedVideo } from '../playback.rules.ts'

/** Maximum size of a file name without its extension; file systems allow 255 bytes. */
const NAME_BYTES_MAX = 200

/** Characters that Windows, macOS or Linux do not allow in file names. */
const forbiddenForm = /[/\\:*?"<>|\p{Cc}]/gu

/** Returns a title as a file name. `extension` is empty if the format of the file is not known. */
export function fileNameOf(title: string, extension: string): string {
  const letters = [...title.replace(forbiddenForm, '-').replace(/^[.\s]+|[.\s]+$/g, '')]
  while (Buffer.byteLength(letters.join('')) > NAME_BYTES_MAX) letters.pop()
  const name = letters.join('') || 'video'
  return extension === '' ? name : `${name}.${extension}`
}

/** Header that makes browsers save a response under this name (RFC 6266), with a fallback for old clients. */
export function attachment(fileName: string): string {
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${fileName.replace(/[^ -~]|["\\%]/gu, '_')}"; filename*=UTF-8''${encoded}`
}

/** Extension of an uploaded file, by the container that the probe found. */
export const extensionOf = (container: string | undefined): string =>
  container !== undefined && Object.hasOwn(containers, container)
    ? containers[container as keyof typeof containers].extension
    : ''

/**
 * Returns the name of the rendition to download: the requested one, or else the largest. A rendition is complete if all
 * segments are published, those of the audio too.
 */
export function chooseRendition(planned: PlannedVideo | undefined, requested: string | undefined): string {
  const tracks = planned?.tracks ?? []
  const isComplete = ({ segmentsDone, segmentsTotal }: (typeof tracks)[number]) => segmentsDone === segmentsTotal
  const isAudioComplete = tracks.every((track) => track.width !== null || isComplete(track))
  const complete = tracks
    .filter((track) => isAudioComplete && track.width !== null && isComplete(track))
    .map(({ name }) => name)
  const chosen = requested === undefined ? complete.at(-1) : complete.find((name) => name === requested)
  if (chosen !== undefined) return chosen
  const remedy =
    complete.length > 0 ? `Choose one of: ${complete.join(', ')}.` : 'No rendition is complete yet. Retry later.'
  throw refused('rendition_not_available', requested === undefined ? remedy : `${requested} is not complete. ${remedy}`)
}

/** A stored segment in the order of the MP4 file. */
export type Mp4Segment = { readonly uri: string; readonly bytes: number; readonly isAudio: boolean }

export type Mp4Segments = { readonly segments: readonly Mp4Segment[]; readonly groups: readonly SegmentGroup[] }

/**
 * Interleaves the tracks: each video segment is followed by the audio segment of the same number, so that a player has
 * both while it reads the file. Audio that is longer than the video follows the last video segment.
 */
export function interleave(video: StreamTrack, audio: StreamTrack | undefined): Mp4Segments {
  const last = video.segments.length - 1
  const grouped = video.segments.map(({ uri, bytes, seconds }, index) => {
    const sounds = audio?.segments.slice(index, index === last ? undefined : index + 1) ?? []
    return { seconds, segments: [{ uri, bytes, isAudio: false }, ...sounds.map(toAudio)] }
  })
  return {
    segments: grouped.flatMap(({ segments }) => segments),
    groups: grouped.map(({ seconds, segments }) => ({ seconds, bytes: sum(segments) })),
  }
}

const toAudio = ({ uri, bytes }: StreamTrack['segments'][number]): Mp4Segment => ({ uri, bytes, isAudio: true })

export const sum = (segments: readonly Pick<Mp4Segment, 'bytes'>[]) =>
  segments.reduce((total, { bytes }) => total + bytes, 0)

/** Byte range: `start` is inclusive, `end` exclusive. */
export type ByteRange = { readonly start: number; readonly end: number }

/**
 * Parses a range header: "bytes=0-99", "bytes=100-", "bytes=-100". Several ranges or an invalid one get the whole file,
 * as HTTP allows. Returns `outside` if no byte of the file is in the range.
 */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | 'outside' | undefined {
  const [, first, last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === undefined || (first === '' && last === '')) return undefined
  if (first === '') return Number(last) === 0 ? 'outside' : { start: Math.max(0, bytes - Number(last)), end: bytes }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  return start >= bytes ? 'outside' : { start, end: last === '' ? bytes : Math.min(bytes, Number(last) + 1) }
}

/** The part of the range that is in a block at `offset`, relative to the block. Undefined if no part is. */
export function overlapOf(range: ByteRange, offset: number, bytes: number): ByteRange | undefined {
  const [start, end] = [Math.max(0, range.start - offset), Math.min(bytes, range.end - offset)]
  return start < end ? { start, end } : undefined
}

export const contentProtected = (protection: string) =>
  refused(
    'content_protected',
    `This asset is protected with ${protection}, so only its source can be downloaded (\`kind\`: \`source\`).`,
  )

export const partNotAvailable = () =>
  refused(
    'rendition_not_available',
    'A clip or a trimmed asset has no MP4, because it shows a part of its files. Render it, and download the result.',
  )

export const sourceNotAvailable = () =>
  refused(
    'source_not_available',
    'The asset has no uploaded file. Complete its upload first. A clip or a rendered part has none: download the file of the original video, or the part as MP4.',
  )

export const noResolutionOfSource = () =>
  refused(
    'invalid_request',
    '`resolution` is for `kind` `mp4`. The source is downloaded as it was uploaded.',
    'resolution',
  )
