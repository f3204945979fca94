/** Writes media playlists. While the video is being encoded, players reload them and find more segments at the end. */

import { targetDuration } from '../rates.ts'
import type { Growth, SegmentKey, Stream, StreamTrack, SubtitleTrack, VideoTrack } from '../stream.ts'
import { start } from './hls-multivariant.ts'
import { exactDurations, playlist, quoted, tag } from './hls-text.ts'

/**
 * Audio is cut at AAC frames of 1024 samples at 48 kHz: an audio segment may be up to one AAC frame longer than
 * the video segment.
 */
const AUDIO_FRAME_SECONDS = 1024 / 48_000

export function writeMediaPlaylist(
  { growth, segmentSeconds, leadSeconds }: Pick<Stream, 'growth' | 'segmentSeconds' | 'leadSeconds'>,
  { segments, initUri, protection }: StreamTrack,
): string {
  const durations = exactDurations(segments)
  return playlist(
    ...head(growth, targetDuration(segmentSeconds + AUDIO_FRAME_SECONDS)),
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...start({ growth, ...(leadSeconds !== undefined && { leadSeconds }) }),
    tag('MAP', { URI: quoted(initUri) }),
    ...(protection?.hlsKeys ?? []),
    ...segments.flatMap(({ uri, key }, index) => [...keyLines(key), `#EXTINF:${durations[index]},`, uri]),
    ...end(growth),
  )
}

/**
 * Key lines of a segment. They follow the EXT-X-MAP tag, because the header is not encrypted, and precede every
 * segment, because each segment has its own IV. In RFC 8216 a key applies to everything after it.
 */
const keyLines = (key: SegmentKey | undefined) =>
  key ? [tag('KEY', { METHOD: 'AES-128', URI: quoted(key.uri), IV: `0x${key.iv}` })] : []

/** Writes a playlist with only the keyframes of every segment, for previews while seeking. */
export function writeIframePlaylist(
  { growth, keyframeSeconds }: Pick<Stream, 'growth' | 'keyframeSeconds'>,
  { segments, initUri, protection }: VideoTrack,
): string {
  const keyframes = segments.flatMap((segment) =>
    segment.keyframes.map((keyframe) => ({ ...keyframe, uri: segment.uri })),
  )
  const durations = exactDurations(keyframes)
  return playlist(
    ...head(growth, targetDuration(keyframeSeconds)),
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
 * Writes the playlist of a single WebVTT file. While the video grows, this playlist also has the type EVENT,
 * because some players require the same playlist type for all tracks.
 */
export function writeSubtitlePlaylist(
  { growth, durationSeconds }: Pick<Stream, 'growth' | 'durationSeconds'>,
  { uri }: SubtitleTrack,
): string {
  return playlist(
    ...head(growth, targetDuration(durationSeconds)),
    ...start({ growth }),
    `#EXTINF:${exactDurations([{ seconds: durationSeconds }])[0]},`,
    uri,
    ...end(growth),
  )
}

/**
 * Type and target duration must not change while a player reloads the playlist. So the target duration is the
 * planned one, and the playlist of a stopped video keeps the type EVENT and gets an end tag; if processing
 * continues, it grows again.
 */
const head = (growth: Growth, target: number) => [
  `#EXT-X-TARGETDURATION:${target}`,
  '#EXT-X-MEDIA-SEQUENCE:0',
  `#EXT-X-PLAYLIST-TYPE:${growth === 'whole' ? 'VOD' : 'EVENT'}`,
]

const end = (growth: Growth) => (growth === 'growing' ? [] : ['#EXT-X-ENDLIST'])
