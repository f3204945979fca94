/**
 * Writes the DASH manifest. Segments are listed one by one, because their names contain the attempt
 * that encoded them and follow no template. So the profile is "main"; "live" allows only templates.
 */
import type { Rational } from '../probe/facts/rational.ts'
import { CENC_NAMESPACE, contentProtections, isProtected } from './dash-protection.ts'
import { withUniqueLabels } from './labels.ts'
import { peakRate, targetSeconds, totalSeconds } from './rates.ts'
import type { AudioTrack, Stream, StreamTrack, SubtitleTrack, VideoTrack } from './stream.ts'
import { element, textElement } from './xml.ts'

/** Writes the manifest of a complete video. Players treat a growing manifest as a live broadcast. */
export function writeDash(stream: Stream): string {
  if (stream.growth !== 'whole') throw new Error('a DASH manifest requires a complete video (growth is not whole)')
  const { startSeconds = 0 } = stream
  const sets = [
    videoSet(stream.video, startSeconds),
    ...(stream.audio ? [audioSet(stream.audio, startSeconds)] : []),
    ...withUniqueLabels(stream.subtitles).map(subtitleSet),
  ]
  const lines = element(
    'MPD',
    {
      xmlns: 'urn:mpeg:dash:schema:mpd:2011',
      'xmlns:cenc': isProtected(stream) ? CENC_NAMESPACE : undefined,
      profiles: 'urn:mpeg:dash:profile:isoff-main:2011',
      type: 'static',
      mediaPresentationDuration: duration(longest(stream)),
      minBufferTime: duration(targetSeconds(stream.video.flatMap(({ segments }) => segments))),
    },
    ...(stream.folder ? [textElement('BaseURL', stream.folder)] : []),
    element('Period', { id: 0, start: 'PT0S' }, ...sets.map((set, id) => set(id))),
  )
  return `${['<?xml version="1.0" encoding="UTF-8"?>', ...lines].join('\n')}\n`
}

type AdaptationSet = (id: number) => string[]

const videoSet =
  (tracks: readonly VideoTrack[], periodStart: number): AdaptationSet =>
  (id) =>
    element(
      'AdaptationSet',
      {
        id,
        contentType: 'video',
        mimeType: 'video/mp4',
        maxWidth: Math.max(...tracks.map(({ width }) => width)),
        maxHeight: Math.max(...tracks.map(({ height }) => height)),
        frameRate: tracks[0] && fraction(tracks[0].frameRate),
        sar: '1:1',
        segmentAlignment: 'true',
        startWithSAP: 1,
      },
      // All rungs share one key.
      ...contentProtections(tracks[0]?.protection),
      role('main'),
      ...tracks.map((track) => {
        const { width, height, frameRate } = track
        return representation({ ...track, periodStart }, { width, height }, frameRate)
      }),
    )

const audioSet =
  (track: AudioTrack, periodStart: number): AdaptationSet =>
  (id) =>
    element(
      'AdaptationSet',
      {
        id,
        contentType: 'audio',
        mimeType: 'audio/mp4',
        lang: track.language,
        segmentAlignment: 'true',
        startWithSAP: 1,
      },
      ...contentProtections(track.protection),
      role('main'),
      representation(
        { ...track, periodStart },
        { audioSamplingRate: track.sampleRate },
        { numerator: track.sampleRate, denominator: 1 },
        element('AudioChannelConfiguration', {
          schemeIdUri: 'urn:mpeg:dash:23003:3:audio_channel_configuration:2011',
          value: track.channels,
        }),
      ),
    )

/** Value of the required bandwidth attribute of subtitles, whose bitrate is negligible. */
const TEXT_BANDWIDTH = 256

const subtitleSet =
  ({ name, language, label, isAutomatic, uri }: SubtitleTrack): AdaptationSet =>
  (id) =>
    element(
      'AdaptationSet',
      { id, contentType: 'text', mimeType: 'text/vtt', lang: language },
      role(isAutomatic ? 'caption' : 'subtitle'),
      textElement('Label', label),
      element('Representation', { id: `subtitles-${name}`, bandwidth: TEXT_BANDWIDTH }, textElement('BaseURL', uri)),
    )

/** A track in a period that starts at this time of its files. */
type PlacedTrack = StreamTrack & { readonly periodStart: number }

/** Writes a track. The timescale makes every frame a whole number of ticks, so no time is rounded. */
function representation(
  { name, codecs, initUri, segments, startSeconds = 0, periodStart }: PlacedTrack,
  attributes: Record<string, number>,
  { numerator, denominator }: Rational,
  ...children: readonly string[][]
): string[] {
  const unitsOf = (seconds: number) => Math.round((seconds * numerator) / denominator) * denominator
  const units = segments.map(({ seconds }) => unitsOf(seconds))
  return element(
    'Representation',
    { id: name, bandwidth: peakRate(segments), codecs, ...attributes },
    ...children,
    element(
      'SegmentList',
      { timescale: numerator, presentationTimeOffset: periodStart > 0 ? unitsOf(periodStart) : undefined },
      element('Initialization', { sourceURL: initUri }),
      element('SegmentTimeline', {}, ...timeline(units, unitsOf(startSeconds))),
      ...segments.map(({ uri }) => element('SegmentURL', { media: uri })),
    ),
  )
}

/**
 * One S element per segment. Repeat counts are not used, because dash.js counts elements to find a segment in the list.
 */
const timeline = (units: readonly number[], first: number) =>
  units.map((unit, index) => element('S', { t: index === 0 ? first : undefined, d: unit }))

const role = (value: string) => element('Role', { schemeIdUri: 'urn:mpeg:dash:role:2011', value })

const fraction = ({ numerator, denominator }: Rational) =>
  denominator === 1 ? String(numerator) : `${numerator}/${denominator}`

/** Duration of the video. Audio may end up to one audio frame later. */
const longest = ({ video }: Stream) => Math.max(...video.map(({ segments }) => totalSeconds(segments)))

const duration = (seconds: number) => `PT${Number(seconds.toFixed(6))}S`
