/** Times in the user's language. */
import { dateFormat, relativeTimeFormat } from './formats.ts'

const SECONDS_PER_MINUTE = 60

export const minutesUp = (seconds: number) => Math.ceil(seconds / SECONDS_PER_MINUTE)

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', SECONDS_PER_MINUTE],
] as const

/** After this many days a date says more than a number of days. */
const RELATIVE_DAYS_MAX = 7

/** "now", "5 minutes ago", "yesterday", or the date if it is more than a week away. */
export function relativeTime(time: string, language: string, now: number): string {
  const seconds = Math.round((Date.parse(time) - now) / 1000)
  if (Math.abs(seconds) > RELATIVE_DAYS_MAX * 86_400) return dateText(time, language)
  const format = relativeTimeFormat(language, { numeric: 'auto' })
  const step = steps.find(([, unitSeconds]) => Math.abs(seconds) >= unitSeconds)
  if (!step) return format.format(Math.max(0, seconds), 'second')
  const [unit, length] = step
  // A link for 7 days expires "in 7 days", also a second after it was created.
  return format.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit)
}

export const dateText = (time: string, language: string) =>
  dateFormat(language, { dateStyle: 'long' }).format(new Date(time))
