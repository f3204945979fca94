/** Formats a time as "1:02:03" or "4:05". */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const padded = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`
}

/** Formats a time for screen readers, such as "1 minute 5 seconds". */
export function spoken(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 3600), 'hour'],
    [Math.floor(whole / 60) % 60, 'minute'],
    [whole % 60, 'second'],
  ]
  const labels = parts
    .filter(([count], index) => count > 0 || (index === 2 && whole < 60))
    .map(([count, name]) => `${count} ${name}${count === 1 ? '' : 's'}`)
  return labels.join(' ')
}

const unitPattern = /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6}(?:\.\d{1,3})?)s?)?$/
const clockPattern = /^(?:(\d{1,3}):)?(\d{1,3}):([0-5]?\d)$/

/** Parses "90", "90.5", "90s", "1m30s", "1h2m", "1:30" and "1:02:03"; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const parts = clockPattern.exec(text) ?? (text === '' ? null : unitPattern.exec(text))
  if (!parts) return undefined
  const [, hours = '0', minutes = '0', seconds = '0'] = parts
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}
