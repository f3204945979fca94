/** The largest value of HH:MM:SS. */
export const TIMECODE_SECONDS_MAX = 99 * 3600 + 59 * 60 + 59

const timecodeForm = /^(\d{1,2}):([0-5]\d):([0-5]\d)$/

/** Parses HH:MM:SS or H:MM:SS; undefined for any other text. */
export function parseTimecode(text: string): number | undefined {
  const [, hours, minutes, seconds] = timecodeForm.exec(text) ?? []
  if (hours === undefined) return undefined
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** The latest start that HH:MM:SS can describe, to the millisecond. */
export const START_SECONDS_MAX = TIMECODE_SECONDS_MAX + 0.999

/** Rounds down to milliseconds. The first rounding removes the inexactness of binary fractions, as in 2.3 * 1000. */
export const toMilliseconds = (seconds: number) => Math.floor(Number((seconds * 1000).toFixed(3)))

export const wholeMilliseconds = (seconds: number) => toMilliseconds(seconds) / 1000

/** Seconds of a time in parts; `fraction` is a text such as ".5" or ",250", or missing. */
export const secondsOf = (minutes: number, seconds: string | undefined, fraction = '') =>
  (minutes * 60_000 + Number(seconds) * 1000 + Number(fraction.slice(1).padEnd(3, '0'))) / 1000

/** Formats seconds as HH:MM:SS, rounded down. */
export function toTimecode(seconds: number): string {
  const whole = Math.floor(seconds)
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

/** Formats a duration as HH:MM:SS, with milliseconds (rounded up) if it is not a whole number of seconds. */
export function toExactTimecode(seconds: number): string {
  const milliseconds = Math.ceil(Number((seconds * 1000).toFixed(3)))
  const fraction = milliseconds % 1000
  const whole = toTimecode((milliseconds - fraction) / 1000)
  return fraction === 0 ? whole : `${whole}.${String(fraction).padStart(3, '0')}`
}
