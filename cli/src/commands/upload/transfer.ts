/** One file on its way, as far as somebody who watches wants to know. */
export type Transfer = {
  /** Fit to be printed. */
  readonly name: string
  readonly totalBytes: number
  readonly sentBytes: number
  /** Comparing: of a file that is gone on with, what has arrived is read first. */
  readonly stage: 'waiting' | 'comparing' | 'sending' | 'processing' | 'done' | 'failed'
  /** Of the video that is made of it. */
  readonly processedPercent: number
  /** When how much had been sent, lately: what the rate is told from. */
  readonly looks: readonly SentLook[]
}

type SentLook = { readonly at: number; readonly sentBytes: number }

/** Short enough to follow the line, long enough not to jump about. */
const RATE_OVER_SECONDS = 8
const LOOK_EVERY_SECONDS = 0.25
const LOOKS_MAX = RATE_OVER_SECONDS / LOOK_EVERY_SECONDS + 1

export const newTransfer = (name: string, totalBytes: number): Transfer => ({
  name,
  totalBytes,
  sentBytes: 0,
  stage: 'waiting',
  processedPercent: 0,
  looks: [],
})

/** So much of it is there from before. Nothing is sent yet, so there is no rate. */
export const withArrived = (transfer: Transfer, sentBytes: number): Transfer => ({
  ...transfer,
  sentBytes,
  stage: 'comparing',
})

/** `at` is in seconds of any clock that only goes forward. */
export function withSent(transfer: Transfer, sentBytes: number, at: number): Transfer {
  const { looks } = transfer
  const last = looks.at(-1)
  const isDue = last === undefined || at - last.at >= LOOK_EVERY_SECONDS
  const kept = isDue ? [...looks, { at, sentBytes }].slice(-LOOKS_MAX) : looks
  return { ...transfer, sentBytes, stage: 'sending', looks: kept }
}

export const sentShare = ({ sentBytes, totalBytes }: Transfer): number =>
  totalBytes === 0 ? 1 : sentBytes / totalBytes

/** Bytes a second over the last seconds; undefined until something can be said. A line that is away shows. */
export function rateOf({ looks, sentBytes }: Transfer, at: number): number | undefined {
  const recent = looks.filter((look) => at - look.at <= RATE_OVER_SECONDS)
  const [since] = recent
  if (since === undefined) return looks.length > 0 ? 0 : undefined
  if (at - since.at < 1) return undefined
  return (sentBytes - since.sentBytes) / (at - since.at)
}

export function secondsLeft(transfer: Transfer, at: number): number | undefined {
  const rate = rateOf(transfer, at)
  if (!rate) return undefined
  return (transfer.totalBytes - transfer.sentBytes) / rate
}
