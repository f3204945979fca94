/** Progress, speed and remaining time of an upload. */
import { formatBytes } from '../shared/format.js'

/** The speed is averaged over the last seconds only, because it changes during an upload. */
const WINDOW_SECONDS = 5

export function openMeter(totalBytes) {
  const samples = []
  return {
    /** Returns the texts to show after `bytes` have been sent at the time `now`, in seconds. */
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
  const amount = `${formatBytes(bytes)} of ${formatBytes(totalBytes)} (${percent} %)`
  const pace = []
  if (speed > 0) pace.push(`${formatBytes(speed)}/s`)
  if (speed > 0 && bytes < totalBytes) pace.push(`${timeLeft((totalBytes - bytes) / speed)} left`)
  return { percent, amount, pace }
}

function timeLeft(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
