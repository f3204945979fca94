/** How far an upload is, how fast, and how long it still takes. */
import { inWords } from '../shared/words.js'

/** Speed is that of the last few seconds: a line changes, and an average over all would not tell. */
const WINDOW_SECONDS = 5

export function openMeter(totalBytes) {
  const samples = []
  return {
    /** What to show once `bytes` have been sent at `now`, in seconds. */
    read(bytes, now) {
      samples.push({ bytes, now })
      while (samples.length > 2 && now - samples[0].now > WINDOW_SECONDS) samples.shift()
      return describe(bytes, totalBytes, bytesPerSecond(samples))
    },
  }
}

function bytesPerSecond(samples) {
  const [first, last] = [samples[0], samples.at(-1)]
  const seconds = last.now - first.now
  return seconds > 0 ? Math.max(0, (last.bytes - first.bytes) / seconds) : 0
}

function describe(bytes, totalBytes, speed) {
  const percent = Math.floor((bytes / totalBytes) * 100)
  const amount = `${inWords(bytes)} of ${inWords(totalBytes)} (${percent} %)`
  const pace = []
  if (speed > 0) pace.push(`${inWords(speed)}/s`)
  if (speed > 0 && bytes < totalBytes) pace.push(`${timeLeft((totalBytes - bytes) / speed)} left`)
  return { percent, amount, pace }
}

function timeLeft(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
