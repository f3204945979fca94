/**
 * Command line of the packager, which creates CMAF segments from one file per track. Pure; a test checks the
 * whole command line.
 */
import { FLAGS_FILE } from '../../encryption/packager-flags.ts'
import type { Part, Plan } from '../../plan/plan.ts'
import { encodedFile } from './encode-arguments.ts'
import { secondsOf } from './frame-ranges.ts'

export const initFile = (directory: string, track: string) => `${directory}/${track}/init.mp4`

/** Path of a segment, named by its number in the whole video. */
export const segmentFile = (directory: string, track: string, number: number) =>
  `${directory}/${track}/${String(number).padStart(5, '0')}.m4s`

/** Path of a segment as written by the packager, which numbers its output from 1 in each run. */
export const packagedFile = (directory: string, track: string, count: number) =>
  `${directory}/${track}/packaged-${count + 1}.m4s`

/**
 * The packager truncates durations to ticks. This margin is shorter than a tick, and prevents floating-point
 * errors from making a duration one tick too short.
 */
const SECONDS_MARGIN = 1e-8

/** If the part is encrypted, the packager reads the keys from the flags file in `directory`. */
export function packageArguments(plan: Plan, part: Part, directory: string, isEncrypted = false): string[] {
  const seconds = (frames: number) => (secondsOf(frames, plan.frameRate) + SECONDS_MARGIN).toFixed(10)
  return [
    ...part.tracks.map(({ name }) => streamDescriptor(name, directory, isEncrypted)),
    ...['--segment_duration', seconds(plan.segmentFrames)],
    // One fragment per keyframe, so that keyframes can be fetched alone.
    ...['--fragment_duration', seconds(plan.gopFrames)],
    // Keeps the timestamps, which are already right: frames are decoded two frames before they are displayed.
    '--mp4_reset_initial_composition_offset_to_zero=false',
    '--generate_sidx_in_media_segments=false',
    // Omits the creation time from the header, which must be identical in every part.
    '--use_fake_clock_for_muxer',
    ...(isEncrypted ? [`--flagfile=${directory}/${FLAGS_FILE}`] : []),
    '--quiet',
  ]
}

const streamDescriptor = (name: string, directory: string, isEncrypted: boolean) =>
  [
    `in=${encodedFile(directory, name)}`,
    `stream=${name === 'audio' ? 'audio' : 'video'}`,
    `init_segment=${initFile(directory, name)}`,
    `segment_template=${directory}/${name}/packaged-$Number$.m4s`,
    ...(isEncrypted ? [`drm_label=${name}`] : []),
  ].join()
