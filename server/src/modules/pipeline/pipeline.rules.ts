/**
 * Rules of processing a file.
 *
 * A step is waiting, running or done. Its job is enqueued together with the row that says it is waiting. The worker
 * that claims the job draws a fence (a number and random bits) and runs the step; the row then has that fence, and an
 * attempt with another fence has lost the step. An attempt that fails leaves the step waiting for the next one.
 *
 * Steps are grouped into stages. The steps of a stage run concurrently, and a step may have parts, which run
 * concurrently as well. When the last step of a stage is done, the next stage is enqueued in the same transaction,
 * and after the last stage the asset is completed. A step stops when the file is unusable, when one of its limits is
 * reached (steps/retry-policies.ts), or when the caller cancels; a retry resumes it. An optional step is given up
 * instead, and the rest continues. If the remaining parts would not match the finished ones, because another
 * encoder version made those, all remaining steps are given up, and a retry starts with the first step.
 */

import { refused } from '../../kernel/errors.ts'
import type { AssetId } from '../../kernel/ids.ts'
import type { Asset, Failure } from '../assets/assets.ts'

/** Progress of a running attempt: number of segments by rendition. */
export type StepProgress = Readonly<Record<string, number>>

/** Identifies an attempt at a step. */
export type Fence = {
  /** Number of the attempt, for the order of attempts. It can repeat if the database lost the last commits. */
  readonly token: number
  /** 16 random hex digits, which distinguish attempts with the same number. */
  readonly nonce: string
}

export type Claim = Fence & {
  readonly assetId: AssetId
  readonly step: string
  readonly part: string
  /** Number of claims since the last attempt that did not crash: one more than the number of crashed attempts. */
  readonly claimCount: number
  /** The previous attempt did not end: its worker died or was cut off. */
  readonly isReclaimed: boolean
  /** Workers on which the file failed in earlier attempts. */
  readonly failedOn: readonly string[]
}

export const processingFailed = (label: string): Failure => ({
  code: 'processing_failed',
  detail: `${label} failed repeatedly, and the file is not known to be the cause. Retry later, or contact the operator of the service.`,
})

export const stoppedWorkers = (label: string, crashes: number): Failure => ({
  code: 'processing_stopped_workers',
  detail: `${label} crashed the worker ${crashes} times. Retry, or upload the file in another format.`,
})

export const tookTooLong = (label: string): Failure => ({
  code: 'processing_took_too_long',
  detail: `${label} did not start or finish in time. Retry; if it happens again, contact the operator of the service.`,
})

/** Failures that are not, or not certainly, caused by the file. */
export const internalFailures = [
  'processing_failed',
  'processing_stopped_workers',
  'processing_took_too_long',
  'key_provider_failed',
] as const satisfies readonly Failure['code'][]

export const reclaimed = (label: string) => ({
  what: 'taken_over',
  detail: `${label}: the worker stopped responding; another one has taken over.`,
})

export const attemptFailed = (label: string, number: number, delaySeconds: number) => ({
  what: 'attempt_failed',
  detail: `${label}: attempt ${number} failed. Next attempt in ${delaySeconds} s.`,
})

export const skipped = (label: string, { detail }: Failure) => ({
  what: 'given_up',
  detail: `${label} was skipped; the video continues without it: ${detail}`,
})

export const wasSplit = (label: string) => ({
  what: 'divided_up',
  detail: `${label} failed. Each rendition is now encoded separately.`,
})

export const processingStarted = {
  what: 'processing_started',
  detail: 'Processing has started.',
}
export const completed = { what: 'completed', detail: 'Processing is complete.' }
export const cancelled = { what: 'cancelled', detail: 'Processing was cancelled.' }
export const reprocessed = {
  what: 'uploaded',
  detail: 'The processed files were lost; the file is being processed again.',
}
export const filesRepaired = (count: number) => ({
  what: 'repaired',
  detail: `${count} ${count === 1 ? 'file was' : 'files were'} damaged in storage and stored again.`,
})
export const retried = { what: 'retried', detail: 'The file is waiting to be processed again.' }

export const isProcessing = ({ status }: Pick<Asset, 'status'>) => status === 'Queued' || status === 'Processing'

/** Whether the asset is a part that is not rendered yet, and so is a clip that cannot be played. */
export const isUnrendered = ({ range, playableAt }: Pick<Asset, 'range' | 'playableAt'>) =>
  range !== null && range.parentId !== null && playableAt === null

export const nothingToCancel = ({ status }: Pick<Asset, 'status'>) =>
  refused(
    'nothing_to_cancel',
    status === 'Not Started'
      ? 'The file has not been uploaded yet. Cancel the upload session instead.'
      : `Cannot cancel: processing has already ended (status ${status}).`,
  )

export const nothingToRetry = ({ status }: Pick<Asset, 'status'>) => refused('nothing_to_retry', retryRefusals[status])

const retryRefusals: Record<Asset['status'], string> = {
  'Not Started': 'The file has not been uploaded yet. Processing starts automatically after the upload.',
  Queued: 'The asset is already waiting to be processed.',
  Processing: 'The asset is already being processed.',
  Completed: 'Cannot retry: processing has already completed.',
  Error: 'The file of this asset was never uploaded. Create another upload session.',
  Cancelled: 'The file of this asset was never uploaded. Create another upload session.',
}
