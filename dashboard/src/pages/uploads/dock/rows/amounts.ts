/** Amounts of data and times in the user's language. */
import { numberFormat } from '../../../../app/texts/formats.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const STEP = 1000

function scaled(bytes: number) {
  const index = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP))))
  const value = bytes / STEP ** index
  const digits = value < 10 && index > 1 ? 1 : 0
  return { value, unit: units[index] ?? 'byte', digits }
}

function unitText(bytes: number, language: string, suffix: '' | '-per-second'): string {
  const { value, unit, digits } = scaled(bytes)
  const options = {
    style: 'unit',
    unit: `${unit}${suffix}`,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  } as const
  return numberFormat(language, options).format(value)
}

/** "4.2 MB". */
export const bytesText = (bytes: number, language: string) => unitText(bytes, language, '')

/** "4.2 MB/s". */
export const rateText = (bytesPerSecond: number, language: string) => unitText(bytesPerSecond, language, '-per-second')

/** Seconds until the rest is sent, rounded so that the number does not change all the time; undefined if unknown. */
export function secondsLeft(restBytes: number, bytesPerSecond: number | undefined): number | undefined {
  if (!bytesPerSecond || bytesPerSecond < 1) return undefined
  const seconds = restBytes / bytesPerSecond
  if (seconds < 10) return Math.max(1, Math.ceil(seconds))
  return seconds < 60 ? Math.ceil(seconds / 5) * 5 : Math.ceil(seconds / 60) * 60
}

export const percentOf = (part: number, whole: number) => (whole > 0 ? Math.floor((100 * part) / whole) : 0)
