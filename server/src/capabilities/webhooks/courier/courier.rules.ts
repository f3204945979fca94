/**
 * What an answer means, for the event that was told and for the webhook.
 *
 * An event that was answered badly rests by itself, and those of the same subject wait behind it;
 * others go on. A webhook that gives no answer at all rests as a whole. But one event may make a
 * receiver hang that answers every other: so the first silence also counts against the event, which
 * then lets others go first.
 */

/** What came of a request. */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: 'silent' }

/** How things stood when it was sent. */
export type Standing = {
  /** In a row, of the webhook. */
  readonly silences: number
  /** In a row, of this event at this webhook. */
  readonly refusals: number
  /** For how long this event has been tried. */
  readonly triedSeconds: number
  /** For how long the webhook has had no success; undefined: the last one was a success. */
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
  /** `well`: it is forgiven everything. */
  readonly webhook:
    | { readonly is: 'well' }
    | { readonly is: 'failing' }
    | { readonly is: 'resting'; readonly restSeconds: number; readonly silences: number }
  readonly disable: 'gone' | 'failing' | undefined
}

const MINUTE = 60
const HOUR = 3600

/** After the first failure, the second, and so on; the last one again and again. For a first pause of five seconds. */
const refusalPauses = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const
const silencePauses = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR] as const

/** Longer than this a receiver does not keep us away: it may have meant milliseconds. */
export const RETRY_AFTER_SECONDS_MAX = HOUR

/** Up to this share longer, so that what failed together does not come back together. */
const JITTER = 0.2

/** `random` is from 0 to 1, 1 excluded. */
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

/** It asked to be left alone for a while. That is nothing against the event. */
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

/** Rests, but not beyond the time for which it is tried: the last try is at the end of it. */
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

/** Of the header `Retry-After`: seconds, or a date. Undefined if it says nothing of use. */
export function retryAfterSeconds(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - now.getTime()) / 1000)
  return seconds > 0 ? seconds : undefined
}
