import { webhookDeliveries as contract } from '@reelkeep/contract'
import { refused } from '../../../kernel/errors.ts'
import { toUtc } from '../../../kernel/time.ts'

/** The requested range. */
export type ReplayInput = {
  readonly since: string | undefined
  readonly until: string | undefined
  readonly after: number | undefined
  readonly before: number | undefined
}

/** The validated range; null means unbounded. */
export type ReplayRange = {
  readonly since: string | null
  readonly until: string | null
  readonly after: number | null
  readonly before: number | null
}

export function toRange(input: ReplayInput): ReplayRange {
  const [since, until] = [utcOf(input.since, 'since'), utcOf(input.until, 'until')]
  const { after = null, before = null } = input
  if (since === null && after === null) throw invalidReplay('Give `since` or `after` as the start.', 'since')
  // The two timestamps have the same format, which sorts by time.
  if (since !== null && until !== null && since >= until)
    throw invalidReplay('`until` must be later than `since`.', 'until')
  if (after !== null && before !== null && before - after < 2)
    throw invalidReplay('There must be a number between `after` and `before`.', 'before')
  return { since, until, after, before }
}

export function assertNotTooMany(found: number): void {
  if (found <= contract.REPLAY_EVENTS_MAX) return
  throw refused(
    'replay_too_large',
    `This range has more than ${contract.REPLAY_EVENTS_MAX} events. Replay it in several ranges with after and before.`,
  )
}

function utcOf(text: string | undefined, field: string): string | null {
  if (text === undefined) return null
  const utc = toUtc(text)
  if (utc === undefined) throw invalidReplay(`${field} must be a time such as 2026-11-15T09:30:00Z.`, field)
  return utc
}

const invalidReplay = (detail: string, field: string) => refused('invalid_replay', detail, field)
