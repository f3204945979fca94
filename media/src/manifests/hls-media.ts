/** What a player reads of one track. While the video is made it reads this again and again, and finds more at the end. */
import { startWhileGrowing } from './hls-multivariant.ts'
import { exactDurations, playlist, quoted, tag } from './hls-text.ts'
import { targetSeconds } from './rates.ts'
import type { Stream, StreamTrack, SubtitleTrack, VideoTrack } from './stream.ts'

type Growth = Pick<Stream, 'isWhole'>

export function writeMediaPlaylist(growth: Growth, { segments, initUri }: StreamTrack): string {
  const durations = exactDurations(segments)
  return playlist(
    ...head(growth, targetSeconds(segments)),
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...startWhileGrowing(growth),
    tag('MAP', { URI: quoted(initUri) }),
    ...segments.flatMap(({ uri }, index) => [`#EXTINF:${durations[index]},`, uri]),
    ...end(growth),
  )
}

/** For pictures on the way while somebody seeks: of every segment its keyframes alone. */
export function writeIframePlaylist(growth: Growth, { segments, initUri }: VideoTrack): string {
  const keyframes = segments.flatMap((segment) =>
    segment.keyframes.map((keyframe) => ({ ...keyframe, uri: segment.uri })),
  )
  const durations = exactDurations(keyframes)
  return playlist(
    ...head(growth, targetSeconds(keyframes)),
    '#EXT-X-I-FRAMES-ONLY',
    tag('MAP', { URI: quoted(initUri) }),
    ...keyframes.flatMap(({ uri, bytes, offset }, index) => [
      `#EXTINF:${durations[index]},`,
      `#EXT-X-BYTERANGE:${bytes}@${offset}`,
      uri,
    ]),
    ...end(growth),
  )
}

/** The file in one piece. It claims to grow as long as the video does: some players want all tracks to be of one kind. */
export function writeSubtitlePlaylist(
  growth: Pick<Stream, 'isWhole' | 'durationSeconds'>,
  { uri }: SubtitleTrack,
): string {
  const whole = [{ bytes: 0, seconds: growth.durationSeconds }]
  return playlist(
    ...head(growth, targetSeconds(whole)),
    ...startWhileGrowing(growth),
    `#EXTINF:${exactDurations(whole)[0]},`,
    uri,
    ...end(growth),
  )
}

const head = ({ isWhole }: Growth, target: number) => [
  `#EXT-X-TARGETDURATION:${target}`,
  '#EXT-X-MEDIA-SEQUENCE:0',
  `#EXT-X-PLAYLIST-TYPE:${isWhole ? 'VOD' : 'EVENT'}`,
]

const end = ({ isWhole }: Growth) => (isWhole ? ['#EXT-X-ENDLIST'] : [])
