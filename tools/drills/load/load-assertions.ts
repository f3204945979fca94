/** Checks that a load was sufficient: a drill without requests proves nothing. */
import type { LoadRecord, UnansweredRequest } from './load-record.ts'

/** Minimum activity of a load: far less than in the shortest drill, but more than in a drill that hardly ran. */
const MINIMUM = { acknowledged: 30, reads: 10, views: 5, events: 30, forms: 1, parts: 1 }

/** A request in flight when the load ends may remain unanswered, unless it has been retried for longer than this. */
const UNANSWERED_SECONDS_MAX = 5

export function missingActivity(record: LoadRecord): string[] {
  const filesBy = (method: string) =>
    record.assets.filter(({ file }) => file.method === method && file.storedAt !== undefined).length
  const { read, view, stream } = record.answeredAt
  const done: Record<keyof typeof MINIMUM, number> = {
    acknowledged: record.acknowledged,
    reads: read.length,
    views: view.length,
    events: stream.length,
    forms: filesBy('form'),
    parts: filesBy('parts'),
  }
  const kinds = Object.keys(MINIMUM) as (keyof typeof MINIMUM)[]
  return kinds
    .filter((kind) => done[kind] < MINIMUM[kind])
    .map((kind) => `${kind}: ${done[kind]}, expected at least ${MINIMUM[kind]}`)
}

/** The requests that never got a response. Without `checksTimes`, requests in flight at the end are ignored. */
export function unansweredRequests({ unanswered, endedAt }: LoadRecord, checksTimes = true): string[] {
  const isViolation = ({ firstSentAt, at }: UnansweredRequest) =>
    at < endedAt || (checksTimes && at - firstSentAt > UNANSWERED_SECONDS_MAX * 1000)
  return unanswered.filter(isViolation).map(({ request, firstSentAt, at }) => {
    const time = new Date(firstSentAt).toISOString().slice(11, 23)
    return `${time} ${request}: no response after ${at - firstSentAt} ms`
  })
}
