const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Maximum distance from now of a relative time. Other times are shown as a date. */
const RELATIVE_SECONDS_MAX = 7 * DAY

const units = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', 1],
] as const

/** Renders a time relative to now, or as a date if it is far away. `--json` contains exact times. */
export function relativeTime(iso: string, now: Date): string {
  const seconds = (Date.parse(iso) - now.getTime()) / 1000
  const distance = seconds < 0 ? -seconds : toCome(seconds)
  if (distance > RELATIVE_SECONDS_MAX) return localTime(iso)
  if (distance < 1) return 'now'
  const [unit, size] = units.find(([, length]) => distance >= length) ?? ['second', 1]
  const count = Math.floor(distance / size)
  const amount = `${count} ${unit}${count === 1 ? '' : 's'}`
  return seconds < 0 ? `${amount} ago` : `in ${amount}`
}

/** Rounds to minutes, so that one hour is not shown as 59 minutes. */
const toCome = (seconds: number) => (seconds < MINUTE ? Math.round(seconds) : Math.round(seconds / MINUTE) * MINUTE)

/** Renders a time in the local time zone. */
export function localTime(iso: string): string {
  const date = new Date(iso)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Renders the duration of a video, such as 1:02:03. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (part: number) => String(part).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / HOUR), Math.floor((whole % HOUR) / MINUTE)]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % MINUTE)}` : `${minutes}:${two(whole % MINUTE)}`
}
