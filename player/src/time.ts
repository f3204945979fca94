/** "1:02:03", "4:05". */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const padded = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`
}

/** As it is read out. */
export function spoken(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 3600), 'hour'],
    [Math.floor(whole / 60) % 60, 'minute'],
    [whole % 60, 'second'],
  ]
  const said = parts
    .filter(([count], index) => count > 0 || (index === 2 && whole < 60))
    .map(([count, name]) => `${count} ${name}${count === 1 ? '' : 's'}`)
  return said.join(' ')
}

const unitForm = /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})(?:\.\d{1,3})?s?)?$/
const clockForm = /^(?:(\d{1,3}):)?(\d{1,3}):([0-5]?\d)$/

/** "90", "90s", "1m30s", "1h2m", "1:30", "1:02:03"; undefined of anything else. */
export function parseTime(text: string): number | undefined {
  const parts = clockForm.exec(text) ?? (text === '' ? null : unitForm.exec(text))
  if (!parts) return undefined
  const [, hours = '0', minutes = '0', seconds = '0'] = parts
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}
