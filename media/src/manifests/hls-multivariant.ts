/** What a player reads first: the pictures in their sizes, the sound, the subtitles. It does not read it again. */
import { toNumber } from '../probe/rational.ts'
import { playlist, quoted, tag } from './hls-text.ts'
import { withOwnLabels } from './labels.ts'
import { iframePlaylistName, mediaPlaylistName, subtitlePlaylistName } from './names.ts'
import { averageRate, peakRate } from './rates.ts'
import type {
  AudioTrack,
  Growth,
  Stream,
  StreamTrack,
  SubtitleTrack,
  VideoTrack,
} from './stream.ts'

const AUDIO_GROUP = 'audio'
const SUBTITLES_GROUP = 'subtitles'

export function writeMultivariant(stream: Stream): string {
  return playlist(
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...startUnlessWhole(stream.growth),
    ...(stream.audio ? [audioLine(stream.audio)] : []),
    ...withOwnLabels(stream.subtitles).map(subtitleLine),
    ...stream.video.flatMap((track) => [variantLine(stream, track), mediaPlaylistName(track.name)]),
    ...stream.video.filter(hasKeyframes).map(iframeLine),
  )
}

/** Not quite 0, which shaka-player takes for no start at all. */
const START_SECONDS = 0.001

/** Without it players take what grows for a broadcast, and begin near its end. */
export const startUnlessWhole = (growth: Growth) =>
  growth === 'whole' ? [] : [`#EXT-X-START:TIME-OFFSET=${START_SECONDS}`]

const audioLine = ({ name, language, channels }: AudioTrack) =>
  tag('MEDIA', {
    TYPE: 'AUDIO',
    'GROUP-ID': quoted(AUDIO_GROUP),
    NAME: quoted(language ?? 'Audio'),
    LANGUAGE: language && quoted(language),
    DEFAULT: 'YES',
    AUTOSELECT: 'YES',
    CHANNELS: quoted(String(channels)),
    URI: quoted(mediaPlaylistName(name)),
  })

const subtitleLine = ({ name, language, label, isAutomatic }: SubtitleTrack) =>
  tag('MEDIA', {
    TYPE: 'SUBTITLES',
    'GROUP-ID': quoted(SUBTITLES_GROUP),
    NAME: quoted(label),
    LANGUAGE: quoted(language),
    DEFAULT: 'NO',
    AUTOSELECT: 'YES',
    FORCED: 'NO',
    // What was heard, written down; of subtitles that somebody brought we do not know what they hold.
    CHARACTERISTICS: isAutomatic
      ? quoted('public.accessibility.transcribes-spoken-dialog')
      : undefined,
    URI: quoted(subtitlePlaylistName(name)),
  })

function variantLine({ audio, subtitles, growth }: Stream, video: VideoTrack): string {
  const tracks: readonly StreamTrack[] = audio ? [video, audio] : [video]
  const sum = (rate: (track: StreamTrack) => number) =>
    tracks.reduce((total, track) => total + rate(track), 0)
  return tag('STREAM-INF', {
    BANDWIDTH: sum((track) => bandwidth(track, growth)),
    'AVERAGE-BANDWIDTH': sum(({ segments }) => averageRate(segments)),
    CODECS: quoted(tracks.map(({ codecs }) => codecs).join(',')),
    RESOLUTION: `${video.width}x${video.height}`,
    'FRAME-RATE': toNumber(video.frameRate).toFixed(3),
    'VIDEO-RANGE': 'SDR',
    AUDIO: audio ? quoted(AUDIO_GROUP) : undefined,
    SUBTITLES: subtitles.length > 0 ? quoted(SUBTITLES_GROUP) : undefined,
    'CLOSED-CAPTIONS': 'NONE',
  })
}

/** What is to come may be larger than what is there; a player chooses by this before it has seen any of it. */
const bandwidth = ({ segments, bitrateMax }: StreamTrack, growth: Growth) =>
  growth === 'whole' ? peakRate(segments) : Math.max(peakRate(segments), bitrateMax)

function iframeLine({ name, segments, codecs, width, height }: VideoTrack): string {
  const keyframes = segments.flatMap((segment) => segment.keyframes)
  return tag('I-FRAME-STREAM-INF', {
    BANDWIDTH: peakRate(keyframes),
    'AVERAGE-BANDWIDTH': averageRate(keyframes),
    CODECS: quoted(codecs),
    RESOLUTION: `${width}x${height}`,
    'VIDEO-RANGE': 'SDR',
    URI: quoted(iframePlaylistName(name)),
  })
}

const hasKeyframes = ({ segments }: VideoTrack) =>
  segments.some(({ keyframes }) => keyframes.length > 0)
