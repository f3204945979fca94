/** Whose clock is wrong, of three: two that agree are right. All are told as seconds ahead of this machine's. */
import { fault, fine, type Verdict, warning } from './finding.ts'

/** Answers take their time, and servers tell theirs by whole seconds. */
const OFF_SECONDS_WARNED = 60
/** Storage refuses signatures that are 15 minutes off; signatures of webhooks are good for five. */
const OFF_SECONDS_MAX = 300

const KEEP_SERVERS =
  'Keep the clocks of storage, Postgres and the API by NTP; storage refuses signatures that are 15 minutes off.'
const KEEP_OURS =
  'Keep this machine’s clock by NTP (`timedatectl set-ntp true`); signatures of webhooks and the times of tokens are judged by it.'
const KEEP_BOTH =
  'Keep both by NTP (`timedatectl` tells whether they are): storage’s clock, which could tell whose is wrong, is not known or agrees with neither.'

export function judgeOwnClock(apiAhead: number, storageAhead: number | undefined): Verdict {
  if (agree(apiAhead, 0)) return fine('The clock of this machine agrees with the API’s.')
  const off = distance(apiAhead, 0)
  if (storageAhead !== undefined && agree(storageAhead, 0)) {
    const detail = `The clock of the API is ${off} seconds ${direction(apiAhead)} those of this machine and storage.`
    return graded(off, detail, KEEP_SERVERS, 'api-clock')
  }
  if (storageAhead !== undefined && agree(storageAhead, apiAhead)) {
    const detail = `The clock of this machine is ${off} seconds ${direction(-apiAhead)} those of the API and storage.`
    return graded(off, detail, KEEP_OURS)
  }
  return graded(off, `The clocks of this machine and the API are ${off} seconds apart.`, KEEP_BOTH)
}

/** Where this machine agrees with storage, it is the API's clock that is wrong, and that was told. */
export function judgeStorageClock(apiAhead: number, storageAhead: number): Verdict {
  if (agree(storageAhead, apiAhead)) return fine('The clock of storage agrees with the API’s.')
  if (agree(storageAhead, 0)) return fine('The clock of storage agrees with this machine’s.')
  const off = distance(storageAhead, apiAhead)
  const detail = `The clock of storage is ${off} seconds ${direction(storageAhead - apiAhead)} the API’s.`
  return graded(off, detail, KEEP_SERVERS)
}

const distance = (one: number, other: number) => Math.round(Math.abs(one - other))
const agree = (one: number, other: number) => distance(one, other) <= OFF_SECONDS_WARNED
const direction = (aheadSeconds: number) => (aheadSeconds > 0 ? 'ahead of' : 'behind')
const graded = (off: number, ...told: Parameters<typeof fault>): Verdict =>
  off > OFF_SECONDS_MAX ? fault(...told) : warning(...told)
