import { webhookDeliveries as contract } from '@reelkeep/contract'
import { refused } from '../../../kernel/errors.ts'

/** Which events are to be told again, as it is asked for. */
export type ReplayWish = {
  readonly since: string | undefined
  readonly until: string | undefined
  readonly after: number | undefined
  readonly before: number | undefined
}

/** The same with every fault refused; null: not bounded there. */
export type ReplayStretch = {
  readonly since: string | null
  readonly until: string | null
  readonly after: number | null
  readonly before: number | null
}

export function toStretch(wish: ReplayWish): ReplayStretch {
  const [since, until] = [asMoment(wish.since, 'since'), asMoment(wish.until, 'until')]
  const { after = null, before = null } = wish
  if (since === null && after === null)
    throw unfit('Say where to begin: give since or after.', 'since')
  // Both have the same form, in which the earlier one is the lesser text.
  if (since !== null && until !== null && since >= until)
    throw unfit('until must be later than since.', 'until')
  if (after !== null && before !== null && before - after < 2)
    throw unfit('No number lies between after and before.', 'before')
  return { since, until, after, before }
}

export function assertNotTooMany(found: number): void {
  if (found <= contract.REPLAYED_MAX) return
  throw refused(
    'replay_too_large',
    `More than ${contract.REPLAYED_MAX} events lie in this stretch. Replay it in several, by after and before.`,
  )
}

/** No event is older, and none will be younger. */
const [earliest, latest] = [Date.UTC(2000), Date.UTC(9000)]

/** The same moment in UTC, to the microsecond. */
function asMoment(text: string | undefined, field: string): string | null {
  if (text === undefined) return null
  const milliseconds = Date.parse(text)
  if (!(milliseconds >= earliest && milliseconds <= latest))
    throw unfit(`${field} must be a time such as 2026-11-15T09:30:00Z.`, field)
  const [, fraction = ''] = /\.(\d{1,6})/.exec(text) ?? []
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}Z`
}

const unfit = (detail: string, field: string) => refused('invalid_replay', detail, field)
