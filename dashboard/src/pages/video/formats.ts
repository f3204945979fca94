/** Positions, rates and times in the user's language. */
import { dateFormat, numberFormat } from '../../app/texts/formats.ts'

const SECONDS_PER_MINUTE = 60
const SECONDS_PER_HOUR = 3600

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** Seconds of `HH:MM:SS`, `M:SS` or a number of seconds; undefined for anything else. */
export function parseClock(text: string): number | undefined {
  if (!/^\d+(:\d{1,2}){0,2}$/.test(text.trim())) return undefined
  return text.split(':').reduce((seconds, part) => seconds * SECONDS_PER_MINUTE + Number(part), 0)
}

/** Start time of a chapter as the API expects it: `HH:MM:SS`. */
export function startTime(seconds: number): string {
  const whole = Math.floor(seconds)
  const minutes = Math.floor((whole % SECONDS_PER_HOUR) / SECONDS_PER_MINUTE)
  return [Math.floor(whole / SECONDS_PER_HOUR), minutes, whole % SECONDS_PER_MINUTE].map(twoDigits).join(':')
}

/** 75.48 seconds as "1:15.480"; without milliseconds if there are none. */
export function exactClock(seconds: number): string {
  const ms = Math.round(seconds * 1000)
  const whole = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(whole / SECONDS_PER_HOUR), Math.floor(whole / SECONDS_PER_MINUTE) % 60]
  const start = hours > 0 ? `${hours}:${twoDigits(minutes)}` : String(minutes)
  const fraction = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`
  return `${start}:${twoDigits(whole % SECONDS_PER_MINUTE)}${fraction}`
}

export const percentText = (percent: number, language: string) =>
  numberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(percent / 100)

/** `427 kbit/s`, `2.4 Mbit/s`. */
export function bitrateText(bitsPerSecond: number, language: string): string {
  const isMega = bitsPerSecond >= 1_000_000
  const number = numberFormat(language, { maximumFractionDigits: isMega ? 1 : 0 })
  return `${number.format(bitsPerSecond / (isMega ? 1_000_000 : 1000))} ${isMega ? 'Mbit/s' : 'kbit/s'}`
}

export const timeText = (time: string, language: string) =>
  dateFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time))
