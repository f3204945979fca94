/**
 * The command line of a part: one run of ffmpeg, which decodes once and encodes every rung and the
 * sound. Pure, read whole in a test.
 *
 * Times are the file's own, counted from its beginning (`-copyts -start_at_zero`), wherever the run
 * begins to read. So a picture falls on the same frame of the grid in every run, and no run has to
 * know of any other.
 */
import type { Part, Plan } from '../plan/plan.ts'
import { type Container, containers, hasTimeOfItsStreams } from '../probe/container.ts'
import { guardArguments, type Input } from '../probe/input-arguments.ts'
import { toNumber } from '../probe/rational.ts'
import { type RungOfPart, rungsOf, type SoundOfPart, soundOf } from './part-tracks.ts'
import { pictureGraph } from './picture-graph.ts'
import { AAC_FRAME_SAMPLES, secondsOf, ticksOf } from './places.ts'
import { encodedSounds, soundGraph } from './sound-graph.ts'

export type EncodeOrder = {
  readonly plan: Plan
  readonly part: Part
  readonly input: Input & { readonly container: Container }
  /** As the program sees it. */
  readonly directory: string
}

export const encodedFile = (directory: string, track: string) => `${directory}/${track}.encoded.mp4`

export function encodeArguments({ plan, part, input, directory }: EncodeOrder): string[] {
  const rungs = rungsOf(plan, part)
  const sound = soundOf(plan, part)
  const graphs = [
    ...(rungs.length > 0 ? [pictureGraph(plan, rungs)] : []),
    ...(sound ? [soundGraph(sound)] : []),
  ]
  return [
    ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'warning', '-nostats'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    // What cannot be decoded is bridged by the last good picture; the plan's frames are counted in the end.
    ...['-max_error_rate', '1'],
    ...['-copyts', '-start_at_zero'],
    ...inputArguments(input, {
      fromSeconds: seekSeconds(plan, rungs, sound, input.container),
      offGridSeconds: offGridSeconds(plan),
    }),
    // Each by itself: that of the sound begins anew where the sound changes, and the pictures go on.
    ...graphs.flatMap((graph) => ['-filter_complex', graph]),
    ...rungs.flatMap((rung, index) => rungArguments(plan, rung, index, directory)),
    ...(sound ? soundArguments(sound, directory) : []),
    ...(hasTimeOfItsStreams(input.container) ? unusedArguments(plan, rungs, sound) : []),
  ]
}

/**
 * Asks for a packet of what the plan has and this part has not, so that time begins where it does
 * for the other parts. It goes nowhere.
 */
function unusedArguments(
  { picture, audio }: Plan,
  rungs: readonly RungOfPart[],
  sound: SoundOfPart | undefined,
): string[] {
  const unused = [
    ...(rungs.length > 0 ? [] : [picture.streamIndex]),
    ...(audio && !sound ? [audio.streamIndex] : []),
  ]
  return unused.flatMap((index) => [
    ...['-map', `0:${index}`, '-c', 'copy', '-frames', '1', '-f', 'null', '-'],
  ])
}

/** So early that decoders of sound have settled. */
const EARLY_SECONDS = 1

/**
 * Without an index of keyframes, a seek ends anywhere; the keyframe before must not be missed. Few
 * recordings have them further apart.
 */
const EARLY_SECONDS_BLIND = 12
const blindDemuxers: readonly string[] = ['mpegts', 'mpeg']

function seekSeconds(
  plan: Plan,
  rungs: readonly RungOfPart[],
  sound: SoundOfPart | undefined,
  container: Container,
): number {
  const starts = rungs.map(({ frames }) => secondsOf(frames.start, plan.frameRate))
  if (sound) {
    const first = encodedSounds(sound).start
    starts.push((first * AAC_FRAME_SAMPLES) / sound.audio.sampleRate)
  }
  const isBlind = blindDemuxers.includes(containers[container].demuxer)
  return Math.max(0, Math.min(...starts) - (isBlind ? EARLY_SECONDS_BLIND : EARLY_SECONDS))
}

/**
 * By how much the first picture misses the grid: less than half a frame. All of the file is shifted
 * by it, so that pictures are shown when the sound wants them to be, and none hesitates between two
 * frames.
 */
function offGridSeconds({ picture: { startSeconds = 0 }, frameRate }: Plan): number {
  return startSeconds - secondsOf(Math.round(startSeconds * toNumber(frameRate)), frameRate)
}

type Times = { readonly fromSeconds: number; readonly offGridSeconds: number }

function inputArguments(
  input: EncodeOrder['input'],
  { fromSeconds, offGridSeconds: offGrid }: Times,
): string[] {
  const { demuxer } = containers[input.container]
  // Pictures before the place are needed, too: one of them may be what is shown there.
  const seek = ['-noaccurate_seek', '-ss', (fromSeconds + offGrid).toFixed(6)]
  // From the beginning on, nobody needs to know where all pieces of a fragmented file are.
  const noSeek = demuxer === 'mov' ? ['-fflags', '+ignidx'] : []
  return [
    ...guardArguments(input, input.container),
    ...(fromSeconds > 0 ? seek : noSeek),
    ...(offGrid === 0 ? [] : ['-itsoffset', (-offGrid).toFixed(6)]),
    // A picture that changes its size is scaled like the others.
    ...['-reinit_filter:v', '0'],
    ...['-f', demuxer],
    ...['-i', input.address],
  ]
}

const nothingElse = ['-map_metadata', '-1', '-map_chapters', '-1', '-dn', '-sn']

/** Fragments with times of the whole video, and no edit list that would shift them. */
const containerArguments = [
  ...['-movflags', '+empty_moov+default_base_moof+frag_discont+frag_keyframe+skip_trailer'],
  ...['-use_editlist', '0', '-avoid_negative_ts', 'disabled', '-f', 'mp4'],
]

const REFERENCE_SECONDS = 2

function rungArguments(
  { frameRate, gopFrames }: Plan,
  { rung, frames }: RungOfPart,
  index: number,
  directory: string,
): string[] {
  const grid = String(gopFrames)
  return [
    ...['-map', `[v${index}]`, ...nothingElse],
    ...['-frames:v', String(frames.end - frames.start), '-fps_mode', 'passthrough'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-crf', String(rung.crf)],
    ...['-maxrate', String(rung.bitrateMax)],
    ...['-bufsize', String(REFERENCE_SECONDS * rung.bitrateMax)],
    ...['-g', grid, '-keyint_min', grid, '-sc_threshold', '0', '-flags', '+cgop', '-bf', '2'],
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
    ...['-color_range', 'tv'],
    ...['-video_track_timescale', String(ticksOf(frameRate).perSecond)],
    ...[...containerArguments, encodedFile(directory, rung.name)],
  ]
}

/**
 * Sound that changes its channels or its rate is given to a graph of its own from there on, which
 * begins at the beginning of the part, with silence. What has been encoded stays; what is new
 * follows on the same grid. What ffmpeg had not taken from the old graph is lost: less than a
 * second before the change.
 */
const isRepeated = 'if(gte(pts,ld(0)),0*st(0,pts+1),1)'

const SOUND_FRAGMENT_MICROSECONDS = 2_000_000

function soundArguments({ audio, frames }: SoundOfPart, directory: string): string[] {
  const first = frames.start * AAC_FRAME_SAMPLES
  const end = frames.end * AAC_FRAME_SAMPLES
  return [
    ...['-map', '[a]', ...nothingElse],
    ...['-c:a', 'aac', '-b:a', String(audio.bitrate)],
    ...['-ar', String(audio.sampleRate), '-ac', String(audio.channels)],
    // The encoder began before the part and ends behind it.
    ...['-bsf:a', `noise=drop='lt(pts,${first})+gte(pts,${end})+${isRepeated}'`],
    ...['-frag_duration', String(SOUND_FRAGMENT_MICROSECONDS)],
    ...[...containerArguments, encodedFile(directory, 'audio')],
  ]
}
