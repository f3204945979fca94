/**
 * Command line of a part: one ffmpeg run that decodes once and encodes all rungs and the audio. Pure; a test
 * checks the whole command line.
 *
 * Every run uses the timestamps of the file, counted from its start (`-copyts -start_at_zero`), no matter where
 * the run starts to read. So a source frame gets the same position on the frame grid in every run, and runs are
 * independent of each other.
 */
import type { Part, Plan } from '../../plan/plan.ts'
import { type Container, containers, isTimeRelativeToStreams } from '../../probe/container/container.ts'
import { toNumber } from '../../probe/facts/rational.ts'
import { guardArguments, type Input } from '../../probe/input-arguments.ts'
import { findPartAudio, type PartAudio, type PartRung, partRungs } from '../part-tracks.ts'
import { audioGraph, encodedAudioFrames } from './audio-graph.ts'
import { AAC_FRAME_SAMPLES, type FrameRange, secondsOf, ticksOf } from './frame-ranges.ts'
import { videoGraph } from './video-graph.ts'

export type EncodeInput = {
  readonly plan: Plan
  readonly part: Part
  readonly input: Input & { readonly container: Container }
  /** Output directory, as a path inside the sandbox. */
  readonly directory: string
}

/** File with the samples of the audio of a part, for its peaks. */
export const samplesFile = (directory: string) => `${directory}/audio.samples`

export const encodedFile = (directory: string, track: string) => `${directory}/${track}.encoded.mp4`

export function encodeArguments({ plan, part, input, directory }: EncodeInput): string[] {
  const rungs = partRungs(plan, part)
  const partAudio = findPartAudio(plan, part)
  const graphs = [...(rungs.length > 0 ? [videoGraph(plan, rungs)] : []), ...(partAudio ? [audioGraph(partAudio)] : [])]
  return [
    ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'warning', '-nostats'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    // After a decoding error, the last good frame is repeated; the number of frames is verified at the end.
    ...['-max_error_rate', '1'],
    ...['-copyts', '-start_at_zero'],
    ...inputArguments(input, {
      fromSeconds: seekSeconds(plan, rungs, partAudio, input.container),
      offGridSeconds: offGridSeconds(plan),
    }),
    // Audio and video have separate graphs: the audio graph restarts when the audio format changes, without affecting
    // the video.
    ...graphs.flatMap((graph) => ['-filter_complex', graph]),
    ...rungs.flatMap((rung, index) => rungArguments(plan, rung, index, directory)),
    ...(partAudio ? [...audioArguments(partAudio, directory), ...peakArguments(partAudio, directory)] : []),
    ...(isTimeRelativeToStreams(input.container) ? unusedArguments(plan, rungs, partAudio) : []),
  ]
}

/**
 * Requests one packet of each stream that is in the plan but not in this part, and discards it, so
 * that time starts at the same point as in the other parts.
 */
function unusedArguments(
  { picture, audio }: Plan,
  rungs: readonly PartRung[],
  partAudio: PartAudio | undefined,
): string[] {
  const unused = [
    ...(rungs.length > 0 ? [] : [picture.streamIndex]),
    ...(audio && !partAudio ? [audio.streamIndex] : []),
  ]
  return unused.flatMap((index) => [...['-map', `0:${index}`, '-c', 'copy', '-frames', '1', '-f', 'null', '-']])
}

/** A seek goes to this many seconds before the part, so that audio decoders have settled when the part starts. */
const SEEK_MARGIN_SECONDS = 1

/**
 * Seek margin for containers without an index of keyframes, where a seek is imprecise and must not miss the
 * previous keyframe. Few recordings have a larger distance between keyframes.
 */
const SEEK_MARGIN_SECONDS_UNINDEXED = 12
const unindexedDemuxers: readonly string[] = ['mpegts', 'mpeg']

function seekSeconds(
  plan: Plan,
  rungs: readonly PartRung[],
  partAudio: PartAudio | undefined,
  container: Container,
): number {
  const starts = rungs.map(({ frames }) => secondsOf(frames.start, plan.frameRate))
  if (partAudio) {
    const first = encodedAudioFrames(partAudio).start
    starts.push((first * AAC_FRAME_SAMPLES) / partAudio.audio.sampleRate)
  }
  const isUnindexed = unindexedDemuxers.includes(containers[container].demuxer)
  return Math.max(0, Math.min(...starts) - (isUnindexed ? SEEK_MARGIN_SECONDS_UNINDEXED : SEEK_MARGIN_SECONDS))
}

/**
 * Time between the first frame and the nearest position of the frame grid, less than half a frame. The whole file
 * is shifted by this time, so that video and audio stay in sync, and no frame falls between two positions.
 */
function offGridSeconds({ picture: { startSeconds = 0 }, frameRate }: Plan): number {
  return startSeconds - secondsOf(Math.round(startSeconds * toNumber(frameRate)), frameRate)
}

type Times = { readonly fromSeconds: number; readonly offGridSeconds: number }

function inputArguments(input: EncodeInput['input'], { fromSeconds, offGridSeconds: offGrid }: Times): string[] {
  const { demuxer } = containers[input.container]
  // Also decodes the frames before the seek position, because one of them may still be displayed at that position.
  const seek = ['-noaccurate_seek', '-ss', (fromSeconds + offGrid).toFixed(6)]
  // A run that reads the file from its start does not need the index of all fragments.
  const noSeek = demuxer === 'mov' ? ['-fflags', '+ignidx'] : []
  return [
    ...guardArguments(input, input.container),
    ...(fromSeconds > 0 ? seek : noSeek),
    ...(offGrid === 0 ? [] : ['-itsoffset', (-offGrid).toFixed(6)]),
    // If the frame size changes within the file, the filter graph stays the same and scales all frames.
    ...['-reinit_filter:v', '0'],
    ...['-f', demuxer],
    ...['-i', input.address],
  ]
}

const noOtherStreams = ['-map_metadata', '-1', '-map_chapters', '-1', '-dn', '-sn']

/** Writes fragments with timestamps relative to the whole video, without an edit list, which would shift them. */
const containerArguments = [
  ...['-movflags', '+empty_moov+default_base_moof+frag_discont+frag_keyframe+skip_trailer'],
  ...['-use_editlist', '0', '-avoid_negative_ts', 'disabled', '-f', 'mp4'],
]

const BUFFER_SECONDS = 2

function rungArguments(
  { frameRate, gopFrames, segmentFrames }: Plan,
  { rung, frames }: PartRung,
  index: number,
  directory: string,
): string[] {
  const grid = String(gopFrames)
  // A part that starts within a segment has keyframes off the grid, but also one at the start of the next segment.
  const isCut = frames.start % segmentFrames !== 0
  return [
    ...['-map', `[v${index}]`, ...noOtherStreams],
    ...['-frames:v', String(frames.end - frames.start), '-fps_mode', 'passthrough'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-crf', String(rung.crf)],
    ...['-maxrate', String(rung.bitrateMax)],
    ...['-bufsize', String(BUFFER_SECONDS * rung.bitrateMax)],
    ...['-g', grid, '-keyint_min', grid, '-sc_threshold', '0', '-flags', '+cgop', '-bf', '2'],
    ...(isCut ? ['-force_key_frames', `expr:not(mod(n+${frames.start},${segmentFrames}))`] : []),
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
    ...['-color_range', 'tv'],
    ...['-video_track_timescale', String(ticksOf(frameRate).perSecond)],
    ...[...containerArguments, encodedFile(directory, rung.name)],
  ]
}

/**
 * When the audio changes its channels or sample rate, ffmpeg starts a new filter graph, whose output starts again
 * at the beginning of the part, with silence. Frames that have already been encoded are dropped, and new frames
 * follow on the same grid. Audio that was still in the old graph is lost: less than a second before the change.
 */
const isRepeated = 'if(gte(pts,ld(0)),0*st(0,pts+1),1)'

const AUDIO_FRAGMENT_MICROSECONDS = 2_000_000

function audioArguments({ audio, frames }: PartAudio, directory: string): string[] {
  return [
    ...['-map', '[a]', ...noOtherStreams],
    ...['-c:a', 'aac', '-b:a', String(audio.bitrate)],
    ...['-ar', String(audio.sampleRate), '-ac', String(audio.channels)],
    ...onlyFrames(frames),
    ...['-frag_duration', String(AUDIO_FRAGMENT_MICROSECONDS)],
    ...[...containerArguments, encodedFile(directory, 'audio')],
  ]
}

/** Drops the frames that the encoder produces before and after the part. */
const onlyFrames = ({ start, end }: FrameRange) => [
  '-bsf:a',
  `noise=drop='lt(pts,${start * AAC_FRAME_SAMPLES})+gte(pts,${end * AAC_FRAME_SAMPLES})+${isRepeated}'`,
]

/** Writes the samples of the same frames, for the peaks. */
const peakArguments = ({ frames }: PartAudio, directory: string) => [
  ...['-map', '[peaks]', ...noOtherStreams, '-c:a', 'pcm_s16le'],
  ...[...onlyFrames(frames), '-f', 's16le', samplesFile(directory)],
]
