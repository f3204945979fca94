/**
 * How the processing of a file goes.
 *
 * A step waits, runs and is done. Its job is promised with the row that says it waits. Whoever
 * takes the job draws a token and runs the step; the row then bears that token, and an attempt
 * whose token is not there any more has lost the step, whatever it believes. An attempt that fails
 * leaves the step waiting for the next one.
 *
 * Steps stand in stages. Those of one stage are done side by side, and a step may be done in parts,
 * which are side by side as well. When the last of a stage is done, the next stage is promised in
 * the same transaction, and after the last one the asset is completed. A step stops when the file
 * is of no use, when its attempts are spent, when its time is up or when the caller cancels; a
 * retry goes on with it. One that the video is whole without is given up instead, and the rest goes
 * on. Where nothing fits what is done already, because it was made by another encoder, all that is
 * left is given up, and a retry begins with the first step.
 */

import { refused } from '../../kernel/errors.ts'
import type { Asset, Failure } from '../assets/assets.ts'

/**
 * How long a step may wait to be taken up. A queue of days is not a fault where one machine works
 * off a library of videos; a queue that nobody works off is.
 */
export const WAIT_SECONDS_MAX = 7 * 86_400

/** What an attempt gets beyond its time to come to its end by itself, before the watchdog ends it. */
export const GRACE_SECONDS = 60

/** Attempts that begin and never end: those of a file that kills whoever works on it. */
export const TAKES_MAX = 10

/** What an attempt that runs has made so far: segments, by the rendition. */
export type UnderWay = Readonly<Record<string, number>>

export type Claim = {
  readonly step: string
  readonly part: string
  readonly token: number
  readonly takes: number
  /** The attempt before was not ended by anybody. */
  readonly isTakenOver: boolean
}

export const processingFailed = (does: string): Failure => ({
  code: 'processing_failed',
  detail: `${does} did not work out, however often it was tried, and the file is not the reason. Retry later, or ask who runs the service.`,
})

export const stoppedWorkers = (does: string): Failure => ({
  code: 'processing_stopped_workers',
  detail: `${does} stopped the process that did it, ${TAKES_MAX} times. Retry, or upload the file in another format.`,
})

export const tookTooLong = (does: string): Failure => ({
  code: 'processing_took_too_long',
  detail: `${does} did not begin or end in the time it has. Retry; if it happens again, ask who runs the service.`,
})

/** Those that are not the file's doing, or not surely. */
export const failuresOfOurs = [
  'processing_failed',
  'processing_stopped_workers',
  'processing_took_too_long',
  'key_provider_failed',
] as const satisfies readonly Failure['code'][]

export const takenOver = (does: string) => ({
  what: 'taken_over',
  detail: `${does}: the worker fell silent, another one has taken over.`,
})

export const attemptFailed = (does: string, number: number, pauseSeconds: number) => ({
  what: 'attempt_failed',
  detail: `${does}: attempt ${number} failed. The next one follows in ${pauseSeconds} s.`,
})

export const givenUp = (does: string, { detail }: Failure) => ({
  what: 'given_up',
  detail: `${does} was given up, and the video goes on without: ${detail}`,
})

export const dividedUp = (does: string) => ({
  what: 'divided_up',
  detail: `${does} failed in one go. Each rendition is now tried by itself.`,
})

export const processingStarted = {
  what: 'processing_started',
  detail: 'A worker has begun to process the file.',
}
export const completed = { what: 'completed', detail: 'The processing is complete.' }
export const cancelled = { what: 'cancelled', detail: 'The processing was cancelled.' }
export const madeAgain = {
  what: 'uploaded',
  detail: 'What was made of the file was lost, and is made again.',
}
export const retried = { what: 'retried', detail: 'The file waits to be processed again.' }

export const isUnderWay = ({ status }: Pick<Asset, 'status'>) =>
  status === 'Queued' || status === 'Processing'

export const nothingToCancel = ({ status }: Pick<Asset, 'status'>) =>
  refused(
    'nothing_to_cancel',
    status === 'Not Started'
      ? 'The file has not arrived. Cancel the upload session instead.'
      : `The asset is ${status}: nothing works on it, and nothing will.`,
  )

export const nothingToRetry = ({ status }: Pick<Asset, 'status'>) =>
  refused('nothing_to_retry', inTheWay[status])

const inTheWay: Record<Asset['status'], string> = {
  'Not Started': 'The file has not arrived yet; its processing begins by itself when it has.',
  Queued: 'The asset is waiting to be processed already.',
  Processing: 'The asset is being processed already.',
  Completed: 'The asset is Completed: there is nothing left to do.',
  Error: 'The file of this asset never arrived. Create another upload session.',
  Cancelled: 'The file of this asset never arrived. Create another upload session.',
}
