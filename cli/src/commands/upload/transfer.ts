/** Progress of one file. */
export type Transfer = {
  /** File name without control characters. */
  readonly name: string
  readonly totalBytes: number
  readonly sentBytes: number
  /** `comparing`: received parts are compared with the file before the upload resumes. */
  readonly phase: 'waiting' | 'comparing' | 'sending' | 'processing' | 'done' | 'failed'
  /** Processing progress of the resulting video. */
  readonly processedPercent: number
  /** Recent samples, from which the rate is computed. */
  readonly samples: readonly Sample[]
}

type Sample = { readonly at: number; readonly sentBytes: number }

/** Seconds over which the rate is averaged: it follows changes without flickering. */
const RATE_OVER_SECONDS = 8
const SAMPLE_SECONDS = 0.25
const SAMPLES_MAX = RATE_OVER_SECONDS / SAMPLE_SECONDS + 1

export const newTransfer = (name: string, totalBytes: number): Transfer => ({
  name,
  totalBytes,
  sentBytes: 0,
  phase: 'waiting',
  processedPercent: 0,
  samples: [],
})

/** Sets the bytes received earlier. Nothing has been sent yet, so there is no rate. */
export const withArrived = (transfer: Transfer, sentBytes: number): Transfer => ({
  ...transfer,
  sentBytes,
  phase: 'comparing',
})

/** Adds a sample. `at` is in seconds of a monotonic clock. */
export function withSent(transfer: Transfer, sentBytes: number, at: number): Transfer {
  const { samples } = transfer
  const last = samples.at(-1)
  const isDue = last === undefined || at - last.at >= SAMPLE_SECONDS
  const kept = isDue ? [...samples, { at, sentBytes }].slice(-SAMPLES_MAX) : samples
  return { ...transfer, sentBytes, phase: 'sending', samples: kept }
}

export const sentShare = ({ sentBytes, totalBytes }: Transfer): number =>
  totalBytes === 0 ? 1 : sentBytes / totalBytes

/** Bytes per second over the recent samples; undefined at the start, 0 without a connection. */
export function rateOf({ samples, sentBytes }: Transfer, at: number): number | undefined {
  const recent = samples.filter((style) => at - style.at <= RATE_OVER_SECONDS)
  const [since] = recent
  if (since === undefined) return samples.length > 0 ? 0 : undefined
  if (at - since.at < 1) return undefined
  return (sentBytes - since.sentBytes) / (at - since.at)
}

export function secondsLeft(transfer: Transfer, at: number): number | undefined {
  const rate = rateOf(transfer, at)
  if (!rate) return undefined
  return (transfer.totalBytes - transfer.sentBytes) / rate
}
