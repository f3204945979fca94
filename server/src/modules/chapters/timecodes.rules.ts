/** The largest value of HH:MM:SS. */
export const TIMECODE_SECONDS_MAX = 99 * 3600 + 59 * 60 + 59

const timecodeForm = /^(\d{1,2}):([0-5]\d):([0-5]\d)$/

/** Parses HH:MM:SS or H:MM:SS; undefined for any other text. */
export function parseTimecode(text: string): number | undefined {
  const [, hours, minutes, seconds] = timecodeForm.exec(text) ?? []
  if (hours === undefined) return undefined
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

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
