/** Limits of encoding a part: generous for heavy videos, but finite because of malicious ones. */
import { availableParallelism } from 'node:os'
import type { Part, Plan } from '../plan/plan.ts'
import type { Limits } from '../sandbox/limits.ts'
import { sampleBytes } from '../waveform/peaks.ts'
import { secondsOf, videoFrames } from './arguments/frame-ranges.ts'

/**
 * Maximum CPU seconds per second of video. All rungs of 1080p at 30 fps take four, 8K with tone mapping takes
 * about a hundred.
 */
const CPU_SECONDS_PER_SECOND = 400
/** CPU seconds allowed for seeking: a container without an index is read from its start. */
const CPU_SECONDS_BASE = 600

/** Wall-clock seconds per CPU second: storage may be slow, and the machine busy. */
const WALL_PER_CPU = 2
/** Maximum wall-clock time of a run. No run can still use its files after this time. */
export const PART_WALL_SECONDS_MAX = 4 * 3600

/** Memory limit of a run: 8K frames in floating point take 400 MiB each, and about ten are in memory. */
const MEMORY_BYTES = 12 * 2 ** 30

const THREADS_BASE = 256
/** Each rung has an encoder with 1.5 threads per core. */
const THREADS_PER_CORE = 64

/** Output files may have twice the maximum bitrate: a rung may exceed it briefly, and the container adds overhead. */
const FILE_BYTES_PER_BIT = 2 / 8
const FILE_BYTES_BASE = 64 * 2 ** 20

/** Maximum size of ffmpeg's progress output per second: ffmpeg writes a dozen lines twice per second. */
const PROGRESS_BYTES_PER_SECOND = 4096
const STDERR_BYTES_MAX = 4 * 2 ** 20

/**
 * How many times the source may be read: files with badly interleaved tracks are read twice, files without an
 * index from their start.
 */
const READ_TIMES_MAX = 3
const READ_BYTES_BASE = 64 * 2 ** 20

/** Size of the cache for source data that is read again. */
export const CACHE_BYTES_MAX = 32 * 2 ** 20

export const readBytesMax = (sizeBytes: number) => READ_BYTES_BASE + READ_TIMES_MAX * sizeBytes

export function encodeLimits(plan: Plan, part: Part): Limits {
  const seconds = longestSeconds(plan, part)
  const cores = availableParallelism()
  const cpuSeconds = Math.ceil(CPU_SECONDS_BASE + CPU_SECONDS_PER_SECOND * seconds)
  const wallSeconds = Math.min(PART_WALL_SECONDS_MAX, WALL_PER_CPU * cpuSeconds)
  const bitrates = plan.rungs.map((rung) => rung.bitrateMax)
  const bitrateMax = Math.max(...bitrates)
  const samples = plan.audio ? sampleBytes(plan.audio, seconds) : 0
  const fileBytesFor = (bitrate: number) => Math.ceil(FILE_BYTES_BASE + bitrate * seconds * FILE_BYTES_PER_BIT)
  return {
    wallSeconds,
    cpuSeconds,
    memoryBytes: MEMORY_BYTES,
    fileBytes: Math.max(fileBytesFor(bitrateMax), samples),
    // The audio counts like one more rung.
    writtenBytes: fileBytesFor(bitrateMax + sumOf(bitrates)) + samples,
    openFiles: 256,
    processes: THREADS_BASE + cores * THREADS_PER_CORE,
    stdoutBytes: wallSeconds * PROGRESS_BYTES_PER_SECOND,
    stderrBytes: STDERR_BYTES_MAX,
  }
}

/** CPU seconds of the packager per second of video: the packager copies data and decodes nothing. */
const PACKAGE_CPU_SECONDS_PER_SECOND = 2
const PACKAGE_CPU_SECONDS_BASE = 60
const PACKAGE_MEMORY_BYTES = 4 * 2 ** 30

export function packageLimits(plan: Plan, part: Part): Limits {
  const seconds = longestSeconds(plan, part)
  const cpuSeconds = Math.ceil(PACKAGE_CPU_SECONDS_BASE + PACKAGE_CPU_SECONDS_PER_SECOND * seconds)
  return {
    ...encodeLimits(plan, part),
    cpuSeconds,
    wallSeconds: WALL_PER_CPU * cpuSeconds,
    memoryBytes: PACKAGE_MEMORY_BYTES,
    stdoutBytes: STDERR_BYTES_MAX,
  }
}

/** Maximum size of the temporary files of a part: the output of ffmpeg, and that of the packager. */
export const encodeScratchBytes = (plan: Plan, part: Part): number => 2 * encodeLimits(plan, part).writtenBytes

const sumOf = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0)

const longestSeconds = (plan: Plan, { tracks }: Part) =>
  Math.max(
    ...tracks.map(({ segments }) => {
      const { start, end } = videoFrames(plan, segments)
      return secondsOf(end - start, plan.frameRate)
    }),
  )
