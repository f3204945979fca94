/**
 * What a player reads of one track. While the video is made it reads this again and again, and
 * finds more at the end.
 */
import { startUnlessWhole } from './hls-multivariant.ts'
import { exactDurations, playlist, quoted, tag } from './hls-text.ts'
import { targetOf } from './rates.ts'
import type {
  Growth,
  SegmentKey,
  Stream,
  StreamTrack,
  SubtitleTrack,
  VideoTrack,
} from './stream.ts'

/**
 * Sound is cut between its own frames, of 1024 samples at 48 kHz: a segment of it lasts up to one
 * longer than the picture's.
 */
const AUDIO_FRAME_SECONDS = 1024 / 48_000

export function writeMediaPlaylist(
  { growth, segmentSeconds }: Pick<Stream, 'growth' | 'segmentSeconds'>,
  { segments, initUri, protection }: StreamTrack,
): string {
  const durations = exactDurations(segments)
  return playlist(
    ...head(growth, targetOf(segmentSeconds + AUDIO_FRAME_SECONDS)),
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...startUnlessWhole(growth),
    tag('MAP', { URI: quoted(initUri) }),
    ...(protection?.hlsKeys ?? []),
    ...segments.flatMap(({ uri, key }, index) => [
      ...keyLines(key),
      `#EXTINF:${durations[index]},`,
      uri,
    ]),
    ...end(growth),
  )
}

/**
 * Behind the map, which is in the clear, and before each segment, none of which has the vector of
 * another. RFC 8216 has a key apply to all that follows it.
 */
const keyLines = (key: SegmentKey | undefined) =>
  key ? [tag('KEY', { METHOD: 'AES-128', URI: quoted(key.uri), IV: `0x${key.iv}` })] : []

/** For pictures on the way while somebody seeks: of every segment its keyframes alone. */
export function writeIframePlaylist(
  { growth, keyframeSeconds }: Pick<Stream, 'growth' | 'keyframeSeconds'>,
  { segments, initUri, protection }: VideoTrack,
): string {
  const keyframes = segments.flatMap((segment) =>
    segment.keyframes.map((keyframe) => ({ ...keyframe, uri: segment.uri })),
  )
  const durations = exactDurations(keyframes)
  return playlist(
    ...head(growth, targetOf(keyframeSeconds)),
    '#EXT-X-I-FRAMES-ONLY',
    tag('MAP', { URI: quoted(initUri) }),
    ...(protection?.hlsKeys ?? []),
    ...keyframes.flatMap(({ uri, bytes, offset }, index) => [
      `#EXTINF:${durations[index]},`,
      `#EXT-X-BYTERANGE:${bytes}@${offset}`,
      uri,
    ]),
    ...end(growth),
  )
}

/**
 * The file in one piece. It claims to grow as long as the video does: some players want all tracks
 * to be of one kind.
 */
export function writeSubtitlePlaylist(
  { growth, durationSeconds }: Pick<Stream, 'growth' | 'durationSeconds'>,
  { uri }: SubtitleTrack,
): string {
  return playlist(
    ...head(growth, targetOf(durationSeconds)),
    ...startUnlessWhole(growth),
    `#EXTINF:${exactDurations([{ seconds: durationSeconds }])[0]},`,
    uri,
    ...end(growth),
  )
}

/**
 * Neither the type nor the target may change while a player reads it again and again. So the target
 * is told as planned, and what has stopped still is an event, only with an end: if it is taken up
 * again it grows as before.
 */
const head = (growth: Growth, target: number) => [
  `#EXT-X-TARGETDURATION:${target}`,
  '#EXT-X-MEDIA-SEQUENCE:0',
  `#EXT-X-PLAYLIST-TYPE:${growth === 'whole' ? 'VOD' : 'EVENT'}`,
]

const end = (growth: Growth) => (growth === 'growing' ? [] : ['#EXT-X-ENDLIST'])
