/**
 * What making a part may cost: generous, because an honest video can be heavy, and finite, because
 * not every video is honest.
 */
import { availableParallelism } from 'node:os'
import type { Part, Plan } from '../plan/plan.ts'
import type { Limits } from '../sandbox/limits.ts'
import { picturesOf, secondsOf } from './places.ts'

/**
 * Of a processor, for each second that is made: all rungs of 1080p at 30 frames a second take four,
 * of 8K with tone mapping some hundred.
 */
const CPU_SECONDS_PER_SECOND = 400
/** To find the place to begin at: a container without an index is read from its beginning. */
const CPU_SECONDS_LEAST = 600

/** Storage may be slow and the machine busy. */
const WALL_PER_CPU = 2
/** Longer than this nothing is waited for, and after it nothing of the run can be in use. */
export const PART_WALL_SECONDS_MAX = 4 * 3600

/** Pictures of 8K in floating point are 400 MiB each, and some ten of them are on their way. */
const MEMORY_BYTES_LEAST = 12 * 2 ** 30
/** Address space only: the C library sets aside so much for each of its arenas, of which there are eight for a core. */
const MEMORY_BYTES_PER_CORE = 8 * 64 * 2 ** 20

const THREADS_LEAST = 256
/** Each rung has its encoder, with threads for one core and a half. */
const THREADS_PER_CORE = 64

/** A rung may go above its greatest bit rate for a moment, and a container costs something. */
const FILE_BYTES_PER_BIT = 2 / 8
const FILE_BYTES_LEAST = 64 * 2 ** 20

/** A dozen lines twice a second. */
const PROGRESS_BYTES_PER_SECOND = 4096
const COMPLAINTS_BYTES_MAX = 4 * 2 ** 20

/** Of the source. A file with badly interleaved tracks is read twice; one without an index from its beginning. */
const READ_TIMES_MAX = 3
const READ_BYTES_LEAST = 64 * 2 ** 20

/** Of what was read, kept in memory in case it is read again. */
export const KEPT_BYTES_MAX = 32 * 2 ** 20

export const readBytesMax = (sizeBytes: number) => READ_BYTES_LEAST + READ_TIMES_MAX * sizeBytes

export function encodeLimits(plan: Plan, part: Part): Limits {
  const seconds = longestSeconds(plan, part)
  const cores = availableParallelism()
  const cpuSeconds = Math.ceil(CPU_SECONDS_LEAST + CPU_SECONDS_PER_SECOND * seconds)
  const wallSeconds = Math.min(PART_WALL_SECONDS_MAX, WALL_PER_CPU * cpuSeconds)
  const bitrateMax = Math.max(...plan.rungs.map((rung) => rung.bitrateMax))
  return {
    wallSeconds,
    cpuSeconds,
    memoryBytes: MEMORY_BYTES_LEAST + cores * MEMORY_BYTES_PER_CORE,
    fileBytes: Math.ceil(FILE_BYTES_LEAST + bitrateMax * seconds * FILE_BYTES_PER_BIT),
    openFiles: 256,
    processes: THREADS_LEAST + cores * THREADS_PER_CORE,
    stdoutBytes: wallSeconds * PROGRESS_BYTES_PER_SECOND,
    stderrBytes: COMPLAINTS_BYTES_MAX,
  }
}

/** Nothing is decoded: it only copies. */
const PACKAGE_CPU_SECONDS_PER_SECOND = 2
const PACKAGE_CPU_SECONDS_LEAST = 60
const PACKAGE_MEMORY_BYTES = 8 * 2 ** 30

export function packageLimits(plan: Plan, part: Part): Limits {
  const seconds = longestSeconds(plan, part)
  const cpuSeconds = Math.ceil(PACKAGE_CPU_SECONDS_LEAST + PACKAGE_CPU_SECONDS_PER_SECOND * seconds)
  return {
    ...encodeLimits(plan, part),
    cpuSeconds,
    wallSeconds: WALL_PER_CPU * cpuSeconds,
    memoryBytes: PACKAGE_MEMORY_BYTES,
    stdoutBytes: COMPLAINTS_BYTES_MAX,
  }
}

const longestSeconds = (plan: Plan, { tracks }: Part) =>
  Math.max(
    ...tracks.map(({ segments }) => {
      const { start, end } = picturesOf(plan, segments)
      return secondsOf(end - start, plan.frameRate)
    }),
  )
