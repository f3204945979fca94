/** Finds the wrong one of three clocks: two clocks that agree are right. Values are seconds ahead of this machine. */
import { type CheckOutcome, failed, ok, warning } from './check-result.ts'

/** Smaller differences are ignored, because responses take time, and the Date header has whole seconds. */
const OFF_SECONDS_WARNED = 60
/**
 * Larger differences are failures: webhook signatures are valid for five minutes, and storage refuses signatures that
 * are 15 minutes off.
 */
const OFF_SECONDS_MAX = 300

const SYNC_SERVERS =
  'Synchronize the clocks of storage, Postgres and the API with NTP. Storage refuses signatures that are 15 minutes off.'
const SYNC_THIS_MACHINE =
  'Synchronize the clock of this machine with NTP (`timedatectl set-ntp true`). Webhook signatures and token expiry are checked against it.'
const SYNC_BOTH =
  'Synchronize both with NTP (`timedatectl` shows whether they are). The clock of storage does not show which one is wrong: it is unknown or agrees with neither.'

export function compareOwnClock(apiAhead: number, storageAhead: number | undefined): CheckOutcome {
  if (agree(apiAhead, 0)) return ok('The clocks of this machine and the API agree.')
  const off = distance(apiAhead, 0)
  if (storageAhead !== undefined && agree(storageAhead, 0)) {
    const detail = `The clock of the API is ${off} seconds ${direction(apiAhead)} those of this machine and storage.`
    return failedOrWarning(off, detail, SYNC_SERVERS, 'api-clock')
  }
  if (storageAhead !== undefined && agree(storageAhead, apiAhead)) {
    const detail = `The clock of this machine is ${off} seconds ${direction(-apiAhead)} those of the API and storage.`
    return failedOrWarning(off, detail, SYNC_THIS_MACHINE)
  }
  return failedOrWarning(off, `The clocks of this machine and the API are ${off} seconds apart.`, SYNC_BOTH)
}

/** If this machine agrees with storage, the clock of the API is wrong, which is reported separately. */
export function compareStorageClock(apiAhead: number, storageAhead: number): CheckOutcome {
  if (agree(storageAhead, apiAhead)) return ok('The clocks of storage and the API agree.')
  if (agree(storageAhead, 0)) return ok('The clocks of storage and this machine agree.')
  const off = distance(storageAhead, apiAhead)
  const detail = `The clock of storage is ${off} seconds ${direction(storageAhead - apiAhead)} the API’s.`
  return failedOrWarning(off, detail, SYNC_SERVERS)
}

const distance = (one: number, other: number) => Math.round(Math.abs(one - other))
const agree = (one: number, other: number) => distance(one, other) <= OFF_SECONDS_WARNED
const direction = (clockAheadSeconds: number) => (clockAheadSeconds > 0 ? 'ahead of' : 'behind')
const failedOrWarning = (off: number, ...args: Parameters<typeof failed>): CheckOutcome =>
  off > OFF_SECONDS_MAX ? failed(...args) : warning(...args)
