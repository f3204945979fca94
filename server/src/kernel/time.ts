declare const brand: unique symbol

/** The API's time format: ISO 8601 in UTC with microseconds and trailing Z. */
export type Timestamp = string & { readonly [brand]: 'timestamp' }

/**
 * Converts Postgres' text format ("2026-11-15 02:09:18.1+00", in a session with time zone UTC). Does not use
 * `Date`, which has only milliseconds.
 */
export function timestampFromPostgres(text: string): Timestamp {
  const [, date, time, fraction = ''] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? []
  if (!date) throw new Error(`Postgres returned a time that is not UTC: ${text}`)
  return `${date}T${time}.${fraction.padEnd(6, '0')}Z` as Timestamp
}

/** Whole seconds from one time to another; 0 if the other is earlier. */
export const secondsUntil = (from: Timestamp, to: Timestamp): number =>
  Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1000))

/** Bounds of times in requests; Postgres does not support all times that ISO 8601 can express. */
const [earliest, latest] = [Date.UTC(2000), Date.UTC(9000)]

/** Converts an ISO 8601 time to UTC with microseconds; undefined if it is invalid or not between 2000 and 9000. */
export function toUtc(text: string): string | undefined {
  const milliseconds = Date.parse(text)
  if (!(milliseconds >= earliest && milliseconds <= latest)) return undefined
  const [, fraction = ''] = /\.(\d{1,6})/.exec(text) ?? []
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}Z`
}
