/** Writes the multivariant playlist, which players read first and do not reload: rungs, audio and subtitles. */
import { toNumber } from '../../probe/facts/rational.ts'
import { withUniqueLabels } from '../labels.ts'
import { iframePlaylistName, mediaPlaylistName, subtitlePlaylistName } from '../names.ts'
import type { Growth, Listing, Stream, SubtitleTrack } from '../stream.ts'
import { playlist, quoted, tag } from './hls-text.ts'

type ListedVideo = Listing['video'][number]
type ListedAudio = NonNullable<Listing['audio']>

const AUDIO_GROUP = 'audio'
const SUBTITLES_GROUP = 'subtitles'

export function writeMultivariant(listing: Listing): string {
  const { folder = '' } = listing
  return playlist(
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...start(listing),
    ...sessionKeys(listing),
    ...(listing.chaptersUri === undefined ? [] : [chaptersLine(listing.chaptersUri)]),
    ...(listing.audio ? [audioLine(listing.audio, folder)] : []),
    ...withUniqueLabels(listing.subtitles).map((track) => subtitleLine(track, folder)),
    ...listing.video.flatMap((track) => [variantLine(listing, track), folder + mediaPlaylistName(track.name)]),
    ...listing.video.flatMap((track) => iframeLines(track, folder)),
  )
}

/** Session keys let players request licenses before they read a track. Several tracks may share a key. */
const sessionKeys = ({ video, audio }: Listing) => [
  ...new Set([...video, ...(audio ? [audio] : [])].flatMap(({ protection }) => protection?.hlsSessionKeys ?? [])),
]

/** Start position for players. It is almost 0, because shaka-player ignores a start at 0. */
const START_SECONDS = 0.001

/**
 * Makes players start at the beginning. Without this tag, they treat a growing video as a live broadcast and
 * start near its end. A part of a video starts within its first segment.
 */
export function start({ growth, leadSeconds = 0 }: Pick<Stream, 'growth' | 'leadSeconds'>): string[] {
  if (leadSeconds > 0) return [`#EXT-X-START:TIME-OFFSET=${leadSeconds.toFixed(6)},PRECISE=YES`]
  return growth === 'whole' ? [] : [`#EXT-X-START:TIME-OFFSET=${START_SECONDS}`]
}

const chaptersLine = (uri: string) =>
  tag('SESSION-DATA', { 'DATA-ID': quoted('com.apple.hls.chapters'), URI: quoted(uri) })

const audioLine = ({ name, language, channels }: ListedAudio, folder: string) =>
  tag('MEDIA', {
    TYPE: 'AUDIO',
    'GROUP-ID': quoted(AUDIO_GROUP),
    NAME: quoted(language ?? 'Audio'),
    LANGUAGE: language && quoted(language),
    DEFAULT: 'YES',
    AUTOSELECT: 'YES',
    CHANNELS: quoted(String(channels)),
    URI: quoted(folder + mediaPlaylistName(name)),
  })

const subtitleLine = ({ name, language, label, isAutomatic }: SubtitleTrack, folder: string) =>
  tag('MEDIA', {
    TYPE: 'SUBTITLES',
    'GROUP-ID': quoted(SUBTITLES_GROUP),
    NAME: quoted(label),
    LANGUAGE: quoted(language),
    DEFAULT: 'NO',
    AUTOSELECT: 'YES',
    FORCED: 'NO',
    // Automatic subtitles transcribe the dialog; the content of other subtitles is not known.
    CHARACTERISTICS: isAutomatic ? quoted('public.accessibility.transcribes-spoken-dialog') : undefined,
    URI: quoted(folder + subtitlePlaylistName(name)),
  })

function variantLine({ audio, subtitles, growth }: Listing, video: ListedVideo): string {
  const tracks = audio ? [video, audio] : [video]
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return tag('STREAM-INF', {
    BANDWIDTH: sum(tracks.map((track) => bandwidth(track, growth))),
    'AVERAGE-BANDWIDTH': sum(tracks.map(({ rates }) => rates.average)),
    CODECS: quoted(tracks.map(({ codecs }) => codecs).join(',')),
    RESOLUTION: `${video.width}x${video.height}`,
    'FRAME-RATE': toNumber(video.frameRate).toFixed(3),
    'VIDEO-RANGE': 'SDR',
    AUDIO: audio ? quoted(AUDIO_GROUP) : undefined,
    SUBTITLES: subtitles.length > 0 ? quoted(SUBTITLES_GROUP) : undefined,
    'CLOSED-CAPTIONS': 'NONE',
  })
}

/** Before the video is complete, segments with a higher bitrate may follow, so the maximum bitrate is declared. */
const bandwidth = ({ rates, bitrateMax }: ListedVideo | ListedAudio, growth: Growth) =>
  growth === 'whole' ? rates.peak : Math.max(rates.peak, bitrateMax)

function iframeLines({ name, keyframeRates, codecs, width, height }: ListedVideo, folder: string): string[] {
  if (!keyframeRates) return []
  const line = tag('I-FRAME-STREAM-INF', {
    BANDWIDTH: keyframeRates.peak,
    'AVERAGE-BANDWIDTH': keyframeRates.average,
    CODECS: quoted(codecs),
    RESOLUTION: `${width}x${height}`,
    'VIDEO-RANGE': 'SDR',
    URI: quoted(folder + iframePlaylistName(name)),
  })
  return [line]
}
