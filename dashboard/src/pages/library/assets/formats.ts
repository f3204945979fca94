/** Durations and sizes in the user's language. */
import { numberFormat } from '../../../app/texts/formats.ts'

/** 75 seconds as "1:15", 3700 as "1:01:40". Parts of a second are left out, as in the player. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** 3,400,000 bytes as "3.4 MB". A file that is not empty has at least 0.1 kB. */
export function sizeText(bytes: number, language: string): string {
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes === 0 ? 0 : Math.max(0.1, bytes / 1000 ** power)
  return numberFormat(language, {
    ...{ style: 'unit', unit: units[power - 1] ?? 'terabyte', unitDisplay: 'short' },
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value)
}
