import { type CheckOutcome, failed, ok, warning } from './checks.ts'

/**
 * Clock offsets up to this many seconds are accepted: they may come from latency or from clocks with a resolution of
 * one second.
 */
const WARNING_OFFSET_SECONDS = 60
/** Larger clock offsets fail the check: storage refuses signatures that are 15 minutes off. */
const OFFSET_SECONDS_MAX = 300

/** Compares a server's clock with the clock of this machine. */
export function checkClock(server: string, aheadSeconds: number): CheckOutcome {
  const offset = Math.round(Math.abs(aheadSeconds))
  if (offset <= WARNING_OFFSET_SECONDS) return ok(`The clock of ${server} agrees with that of this machine.`)
  const detail = `The clock of ${server} is ${offset} seconds ${aheadSeconds > 0 ? 'ahead of' : 'behind'} this machine.`
  const hint = 'Synchronize the clocks of both machines with NTP (timedatectl shows the state).'
  return offset > OFFSET_SECONDS_MAX ? failed(detail, hint) : warning(detail, hint)
}
