/**
 * The retry policy of each step: all limits on its attempts. Each limit handles a different failure.
 *
 * - `maxAttempts`, `firstBackoffSeconds`: an error that the file has not caused. With the growing delays between
 *   them, the attempts outlast an hour without storage. Then the asset fails with `processing_failed`.
 * - `attemptTimeoutSeconds`: an attempt that hangs. It is aborted and has failed. If it sends heartbeats even
 *   `timeoutGraceSeconds` later, the watchdog fails the step with `processing_took_too_long`.
 * - `maxCrashes`: a file that crashes its worker, which ends an attempt without a result. An attempt that its worker
 *   released does not count. Then the asset fails with `processing_stopped_workers`.
 * - `maxRecoveries`: the same fault, counted by the job engine, which also counts released attempts. A step of hours
 *   may be released with every deployment, so this limit is too high to be reached.
 * - `maxFileFailures`: a file that ffmpeg cannot process. An overloaded machine fails temporarily, a bad file always:
 *   from this attempt on, the file is blamed, with the error code of the step, if it also failed on another worker.
 * - `maxFailuresBeforeSplit`: one bad rendition in a part of several. From this attempt on, each is encoded separately.
 * - `waitTimeoutSeconds`: a queue that no worker serves. A queue of days is normal where one machine processes a large
 *   library. Then the asset fails with `processing_took_too_long`.
 */
import { PART_WALL_SECONDS_MAX } from '@reelkeep/media'
import type { RetryPolicy } from '../../../platform/jobs/job.ts'

/** Limits that are the same for all steps. */
export const stepLimits = {
  timeoutGraceSeconds: 60,
  maxCrashes: 10,
  maxRecoveries: 1000,
  waitTimeoutSeconds: 7 * 86_400,
} as const

export type StepRetryPolicy = RetryPolicy & typeof stepLimits

/** Limits that differ between steps. */
export const retryPolicies = {
  probe: {
    maxAttempts: 12,
    firstBackoffSeconds: 2,
    // Time for two ffmpeg runs at their time limit, and for reads from storage.
    attemptTimeoutSeconds: 180,
    maxFileFailures: 5,
  },
  encode: {
    maxAttempts: 11,
    firstBackoffSeconds: 5,
    // ffmpeg has lower limits of its own, so that exceeding them can be distinguished from a slow worker.
    attemptTimeoutSeconds: PART_WALL_SECONDS_MAX + 3600,
    maxFailuresBeforeSplit: 2,
    maxFileFailures: 3,
  },
  transcribe: {
    maxAttempts: 10,
    firstBackoffSeconds: 10,
    // Time to read and transcribe a video of 24 hours. Transcribing takes about real time without a GPU.
    attemptTimeoutSeconds: 36 * 3600,
  },
  extractSubtitles: {
    maxAttempts: 11,
    firstBackoffSeconds: 5,
    // Subtitles are interleaved with the video, so the whole file is read.
    attemptTimeoutSeconds: 8 * 3600,
  },
  thumbnails: {
    maxAttempts: 11,
    firstBackoffSeconds: 5,
    // Time for four thousand reads from storage and a few ffmpeg runs.
    attemptTimeoutSeconds: 1800,
  },
} as const satisfies Record<string, RetryPolicy & { [limit: string]: number }>
