declare const brand: unique symbol

/** UTC, ISO 8601, microseconds, trailing Z: the one form in which the API shows a time. */
export type Timestamp = string & { readonly [brand]: 'timestamp' }

/**
 * From Postgres' own text ("2026-11-15 02:09:18.1+00", the session's zone being UTC). JavaScript dates
 * hold milliseconds only, so a time never passes through one on its way out.
 */
export function timestampFromPostgres(text: string): Timestamp {
  const [, date, time, fraction = ''] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? []
  if (!date) throw new Error(`Postgres answered a time that is not UTC: ${text}`)
  return `${date}T${time}.${fraction.padEnd(6, '0')}Z` as Timestamp
}

/** Whole seconds from one time to a later one. */
export const secondsUntil = (from: Timestamp, to: Timestamp): number =>
  Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1000))
