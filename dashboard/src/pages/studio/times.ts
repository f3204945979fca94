/** Times as text. */
import { frameAt } from './timeline/frames.ts'

const two = (number: number) => String(number).padStart(2, '0')

/** 75,480 milliseconds as "1:15.480". */
export function exactTime(ms: number): string {
  const whole = Math.floor(ms / 1000)
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const start = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)
  return `${start}:${two(seconds)}.${String(Math.floor(ms % 1000)).padStart(3, '0')}`
}

/** Shorter: the milliseconds only if there are any. */
export const shortTime = (ms: number) => exactTime(ms).replace(/\.000$/, '')

/** The number of the frame within its second. */
export const frameOfSecond = (rate: number, ms: number) =>
  frameAt(rate, ms) - frameAt(rate, Math.floor(ms / 1000) * 1000)
