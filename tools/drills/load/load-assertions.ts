/** Checks that a load was sufficient: a drill without requests proves nothing. */
import type { GivenUp, LoadRecord } from './load-record.ts'

/** Far less than the shortest drill does, and more than one that hardly ran. */
const LEAST = { acknowledged: 30, reads: 10, views: 5, events: 30, forms: 1, parts: 1 }

/** A request in flight when the load ends may stay without a response, unless it had been failing for this long. */
const IN_VAIN_SECONDS_MAX = 5

export function tooLittle(record: LoadRecord): string[] {
  const filesBy = (way: string) =>
    record.assets.filter(({ file }) => file.way === way && file.storedAt !== undefined).length
  const { read, view, stream } = record.answeredAt
  const done: Record<keyof typeof LEAST, number> = {
    acknowledged: record.acknowledged,
    reads: read.length,
    views: view.length,
    events: stream.length,
    forms: filesBy('form'),
    parts: filesBy('parts'),
  }
  const kinds = Object.keys(LEAST) as (keyof typeof LEAST)[]
  return kinds
    .filter((kind) => done[kind] < LEAST[kind])
    .map((kind) => `${kind}: ${done[kind]}, expected at least ${LEAST[kind]}`)
}

/** The requests that were never answered. Without `judgesTimes`, the end of the load excuses every open request. */
export function unanswered({ givenUp, ended }: LoadRecord, judgesTimes = true): string[] {
  const isFault = ({ askedAt, at }: GivenUp) =>
    at < ended || (judgesTimes && at - askedAt > IN_VAIN_SECONDS_MAX * 1000)
  return givenUp.filter(isFault).map(({ request, askedAt, at }) => {
    const time = new Date(askedAt).toISOString().slice(11, 23)
    return `${time} ${request}: given up after ${at - askedAt} ms`
  })
}
