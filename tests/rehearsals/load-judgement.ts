/** Whether a load was one: a rehearsal in which nothing was asked for shows nothing. */
import type { GivenUp, LoadRecord } from './load-record.ts'

/** What the shortest rehearsal does several times over, and one that hardly ran does not. */
const LEAST = { acknowledged: 30, reads: 10, views: 5, events: 30, forms: 1, parts: 1 }

/**
 * A request that is on its way when the load ends may be left without an answer, but not one that
 * had been in vain for so long.
 */
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
    .map((kind) => `${kind}: ${done[kind]}, and should be ${LEAST[kind]} at least`)
}

export function unanswered({ givenUp, ended }: LoadRecord): string[] {
  const isFault = ({ askedAt, at }: GivenUp) =>
    at < ended || at - askedAt > IN_VAIN_SECONDS_MAX * 1000
  return givenUp.filter(isFault).map(({ request, askedAt, at }) => {
    const time = new Date(askedAt).toISOString().slice(11, 23)
    return `${time} ${request}: given up after ${at - askedAt} ms`
  })
}
