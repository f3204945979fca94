/**
 * Decides what the result of a request means for the event and for the webhook.
 *
 * After an error response the event backs off, and later events of the same subject wait behind it; others
 * continue. A webhook that does not respond is paused as a whole. A single event may make a receiver hang that
 * responds to all others, so the first missing response also counts against the event, and other events go first.
 */

export type WebhookResponse =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: 'noResponse' }

/** Failures of the event and the webhook before the request. */
export type FailureHistory = {
  /** Consecutive missing responses of the webhook. */
  readonly noResponses: number
  /** Consecutive failed attempts at this event. */
  readonly failures: number
  /** Time since the first attempt at this event. */
  readonly triedSeconds: number
  /** Time since the webhook started failing; undefined if the last request succeeded. */
  readonly failingSeconds: number | undefined
}

export type RetryPolicy = {
  readonly retrySeconds: number
  readonly disableSeconds: number
  readonly firstPauseSeconds: number
}

export type DisableReason = 'gone' | 'failing'

export type Outcome = {
  readonly delivery:
    | { readonly state: 'delivered' | 'failed' }
    | { readonly state: 'waiting'; readonly backoffSeconds: number; readonly failures: number }
  /** `healthy` resets all failures. */
  readonly webhook:
    | { readonly health: 'healthy' }
    | { readonly health: 'failing' }
    | { readonly health: 'paused'; readonly backoffSeconds: number; readonly noResponses: number }
  readonly disable: DisableReason | undefined
}

const MINUTE = 60
const HOUR = 3600

/**
 * Backoff after the first failure, the second, and so on; the last one repeats. Scaled by the first pause of the
 * retry policy (5 seconds).
 */
const eventBackoffs = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const
const webhookBackoffs = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR] as const

/** Longest accepted Retry-After: the receiver may have meant milliseconds. */
const RETRY_AFTER_SECONDS_MAX = HOUR

/**
 * Maximum fraction that is randomly added to a backoff, so that requests that failed together are not retried together.
 */
const JITTER = 0.2

/** The policy, and a random number in [0, 1) for the jitter. */
type Retries = RetryPolicy & { readonly random: number }

export function outcomeOf(response: WebhookResponse, history: FailureHistory, retries: Retries): Outcome {
  if (response.kind === 'noResponse') return afterNoResponse(history, retries)
  const { status, retryAfterSeconds } = response
  if (status >= 200 && status < 300)
    return { delivery: { state: 'delivered' }, webhook: { health: 'healthy' }, disable: undefined }
  if (status === 410) return { delivery: { state: 'failed' }, webhook: { health: 'failing' }, disable: 'gone' }
  if ((status === 429 || status === 503) && retryAfterSeconds)
    return afterRetryAfter(retryAfterSeconds, history, retries)
  return afterErrorResponse(history, retries)
}

function afterErrorResponse(history: FailureHistory, retries: Retries): Outcome {
  const failures = history.failures + 1
  const backoffSeconds = backoff(eventBackoffs, history.failures, retries)
  return {
    delivery: retried(history, retries, { failures, backoffSeconds }),
    webhook: { health: 'failing' },
    disable: disableReason(history, retries),
  }
}

/** Handles Retry-After: the receiver requested a pause, which does not count against the event. */
function afterRetryAfter(retryAfterSeconds: number, history: FailureHistory, retries: Retries): Outcome {
  const { failures, noResponses } = history
  const seconds = Math.min(retryAfterSeconds, RETRY_AFTER_SECONDS_MAX)
  const backoffSeconds = withJitter(seconds, retries)
  return {
    delivery: retried(history, retries, { failures, backoffSeconds }),
    webhook: { health: 'paused', backoffSeconds, noResponses },
    disable: disableReason(history, retries),
  }
}

function afterNoResponse(history: FailureHistory, retries: Retries): Outcome {
  const { noResponses, failures } = history
  const backoffSeconds = backoff(webhookBackoffs, noResponses, retries)
  const ofEvent =
    noResponses > 0
      ? { failures, backoffSeconds }
      : {
          failures: failures + 1,
          backoffSeconds: Math.max(backoffSeconds, backoff(eventBackoffs, failures, retries)),
        }
  return {
    delivery: retried(history, retries, ofEvent),
    webhook: { health: 'paused', backoffSeconds, noResponses: noResponses + 1 },
    disable: disableReason(history, retries),
  }
}

/** Delays the event, but not beyond the retry period: the last attempt is at its end. */
function retried(
  { triedSeconds }: FailureHistory,
  { retrySeconds }: RetryPolicy,
  { failures, backoffSeconds }: { readonly failures: number; readonly backoffSeconds: number },
): Outcome['delivery'] {
  const leftSeconds = retrySeconds - triedSeconds
  if (leftSeconds <= 0) return { state: 'failed' }
  return { state: 'waiting', backoffSeconds: Math.min(backoffSeconds, leftSeconds), failures }
}

const disableReason = (
  { failingSeconds }: FailureHistory,
  { disableSeconds }: RetryPolicy,
): DisableReason | undefined =>
  failingSeconds !== undefined && failingSeconds >= disableSeconds ? 'failing' : undefined

function backoff(backoffs: readonly [number, ...number[]], failures: number, retries: Retries): number {
  const seconds = backoffs[failures] ?? backoffs.at(-1) ?? backoffs[0]
  return withJitter((seconds * retries.firstPauseSeconds) / backoffs[0], retries)
}

const withJitter = (seconds: number, { random }: Retries) => seconds * (1 + JITTER * random)

/** Parses `Retry-After`: seconds or a date. Undefined if it is unusable. */
export function parseRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now.getTime()) / 1000)
  return seconds > 0 ? seconds : undefined
}
