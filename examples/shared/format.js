/** Formats numbers for display. */

const units = ['B', 'kB', 'MB', 'GB', 'TB']

export function formatBytes(bytes) {
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${value.toFixed(unit > 1 && value < 100 ? 1 : 0)} ${units[unit]}`
}

/** Formats 3725 as 1:02:05 and 8.4 as 0:08. */
export function formatDuration(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const fields = hours > 0 ? [hours, pad(minutes)] : [minutes]
  return [...fields, pad(Math.floor(seconds) % 60)].join(':')
}

const pad = (number) => String(number).padStart(2, '0')
