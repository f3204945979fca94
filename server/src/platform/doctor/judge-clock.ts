import { fault, fine, type Verdict, warning } from './finding.ts'

/** An answer takes its time, and some clocks are told by whole seconds. */
const OFF_SECONDS_WARNED = 60
/** Storage refuses signatures that are 15 minutes off; long before that, something is broken. */
const OFF_SECONDS_MAX = 300

/** `whose` clock, by how much it is ahead of ours. */
export function judgeClock(whose: string, aheadSeconds: number): Verdict {
  const off = Math.round(Math.abs(aheadSeconds))
  if (off <= OFF_SECONDS_WARNED) return fine(`The clock of ${whose} agrees with ours.`)
  const detail = `The clock of ${whose} is ${off} seconds ${aheadSeconds > 0 ? 'ahead of' : 'behind'} ours.`
  const cure = 'Keep both machines’ clocks by NTP (timedatectl tells whether they are).'
  return off > OFF_SECONDS_MAX ? fault(detail, cure) : warning(detail, cure)
}
