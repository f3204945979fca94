/** The command line of the packager: from a file of each track to CMAF segments. Pure, read whole in a test. */
import { FLAGS_FILE } from '../encryption/packager-flags.ts'
import type { Part, Plan } from '../plan/plan.ts'
import { encodedFile } from './encode-arguments.ts'
import { secondsOf } from './places.ts'

export const initFile = (directory: string, track: string) => `${directory}/${track}/init.mp4`

/** Segments are numbered as in the whole video. */
export const segmentFile = (directory: string, track: string, number: number) =>
  `${directory}/${track}/${String(number).padStart(5, '0')}.m4s`

/** What the packager counts from in a run: from 1, as its numbers are no part of the plan. */
export const packagedFile = (directory: string, track: string, count: number) =>
  `${directory}/${track}/packaged-${count + 1}.m4s`

/**
 * It cuts off what is no whole tick. A little more keeps a tick from being lost to floating point;
 * a tick is longer.
 */
const SECONDS_MORE = 1e-8

/** Of what is encrypted, the keys are in a file of the directory. */
export function packageArguments(
  plan: Plan,
  part: Part,
  directory: string,
  isEncrypted = false,
): string[] {
  const seconds = (frames: number) => (secondsOf(frames, plan.frameRate) + SECONDS_MORE).toFixed(10)
  return [
    ...part.tracks.map(({ name }) => streamOf(name, directory, isEncrypted)),
    ...['--segment_duration', seconds(plan.segmentFrames)],
    // A fragment for each keyframe, which can so be fetched alone.
    ...['--fragment_duration', seconds(plan.gopFrames)],
    // Times are right as they are: a video's first picture is decoded two frames before it is shown, in every part.
    '--mp4_reset_initial_composition_offset_to_zero=false',
    '--generate_sidx_in_media_segments=false',
    // No time of day in the header, which is the same in every part.
    '--use_fake_clock_for_muxer',
    ...(isEncrypted ? [`--flagfile=${directory}/${FLAGS_FILE}`] : []),
    '--quiet',
  ]
}

const streamOf = (name: string, directory: string, isEncrypted: boolean) =>
  [
    `in=${encodedFile(directory, name)}`,
    `stream=${name === 'audio' ? 'audio' : 'video'}`,
    `init_segment=${initFile(directory, name)}`,
    `segment_template=${directory}/${name}/packaged-$Number$.m4s`,
    ...(isEncrypted ? [`drm_label=${name}`] : []),
  ].join()
