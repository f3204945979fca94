/**
 * Evaluates a response, for the event and for the webhook.
 *
 * After an error response, the event is delayed, and later events of the same subject wait behind it; others
 * continue. A webhook that does not respond is paused as a whole. But a single event may make a receiver hang that
 * responds to all others: so the first missing response also counts against the event, which then lets others go
 * first.
 */

/** Result of a request. */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: 'silent' }

/** State of the event and the webhook when the request was sent. */
export type Standing = {
  /** Consecutive missing responses of the webhook. */
  readonly silences: number
  /** Consecutive failures of this event at this webhook. */
  readonly refusals: number
  /** Time since the first attempt at this event. */
  readonly triedSeconds: number
  /** Time since the webhook started failing; undefined if the last request succeeded. */
  readonly failingSeconds: number | undefined
}

export type Patience = {
  readonly retrySeconds: number
  readonly disableSeconds: number
  readonly firstPauseSeconds: number
}

export type Outcome = {
  readonly delivery:
    | { readonly state: 'delivered' | 'failed' }
    | { readonly state: 'waiting'; readonly restSeconds: number; readonly refusals: number }
  /** `well`: all failures are reset. */
  readonly webhook:
    | { readonly is: 'well' }
    | { readonly is: 'failing' }
    | { readonly is: 'resting'; readonly restSeconds: number; readonly silences: number }
  readonly disable: 'gone' | 'failing' | undefined
}

const MINUTE = 60
const HOUR = 3600

/**
 * Delays after the first failure, the second, and so on; the last one repeats. Scaled by the first delay (5
 * seconds).
 */
const refusalPauses = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const
const silencePauses = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR] as const

/** Longest accepted Retry-After: the receiver may have meant milliseconds. */
export const RETRY_AFTER_SECONDS_MAX = HOUR

/** Adds up to this fraction, so that requests that failed together do not return together. */
const JITTER = 0.2

/** `random` is in [0, 1). */
export function outcomeOf(
  answer: Answer,
  standing: Standing,
  patience: Patience,
  random: number,
): Outcome {
  if (answer.kind === 'silent') return afterSilence(standing, patience, random)
  const { status, retryAfterSeconds } = answer
  if (status >= 200 && status < 300)
    return { delivery: { state: 'delivered' }, webhook: { is: 'well' }, disable: undefined }
  if (status === 410)
    return { delivery: { state: 'failed' }, webhook: { is: 'failing' }, disable: 'gone' }
  if ((status === 429 || status === 503) && retryAfterSeconds)
    return afterPlea(retryAfterSeconds, standing, patience, random)
  return afterRefusal(standing, patience, random)
}

function afterRefusal(standing: Standing, patience: Patience, random: number): Outcome {
  const restSeconds = pause(refusalPauses, standing.refusals, patience, random)
  return {
    delivery: resting(standing, patience, restSeconds, standing.refusals + 1),
    webhook: { is: 'failing' },
    disable: disabling(standing, patience),
  }
}

/** The receiver asked to wait. This does not count against the event. */
function afterPlea(
  retryAfterSeconds: number,
  standing: Standing,
  patience: Patience,
  random: number,
): Outcome {
  const restSeconds = jittered(Math.min(retryAfterSeconds, RETRY_AFTER_SECONDS_MAX), random)
  return {
    delivery: resting(standing, patience, restSeconds, standing.refusals),
    webhook: { is: 'resting', restSeconds, silences: standing.silences },
    disable: disabling(standing, patience),
  }
}

function afterSilence(standing: Standing, patience: Patience, random: number): Outcome {
  const { silences, refusals } = standing
  const restSeconds = pause(silencePauses, silences, patience, random)
  const isFirst = silences === 0
  const ownRest = isFirst ? pause(refusalPauses, refusals, patience, random) : 0
  return {
    delivery: resting(
      standing,
      patience,
      Math.max(restSeconds, ownRest),
      isFirst ? refusals + 1 : refusals,
    ),
    webhook: { is: 'resting', restSeconds, silences: silences + 1 },
    disable: disabling(standing, patience),
  }
}

/** Delays the event, but not beyond the retry period: the last attempt is at its end. */
function resting(
  { triedSeconds }: Standing,
  { retrySeconds }: Patience,
  restSeconds: number,
  refusals: number,
): Outcome['delivery'] {
  if (triedSeconds >= retrySeconds) return { state: 'failed' }
  return {
    state: 'waiting',
    restSeconds: Math.min(restSeconds, retrySeconds - triedSeconds),
    refusals,
  }
}

const disabling = ({ failingSeconds }: Standing, { disableSeconds }: Patience) =>
  failingSeconds !== undefined && failingSeconds >= disableSeconds ? 'failing' : undefined

function pause(
  pauses: readonly [number, ...number[]],
  failures: number,
  { firstPauseSeconds }: Patience,
  random: number,
): number {
  const seconds = pauses[failures] ?? pauses.at(-1) ?? pauses[0]
  return jittered((seconds * firstPauseSeconds) / pauses[0], random)
}

const jittered = (seconds: number, random: number) => seconds * (1 + JITTER * random)

/** Parses `Retry-After`: seconds or a date. Undefined if it is unusable. */
export function retryAfterSeconds(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - now.getTime()) / 1000)
  return seconds > 0 ? seconds : undefined
}
