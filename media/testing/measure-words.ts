/**
 * `pnpm bench:words`: how many words of the fixed sentences the recogniser gets right, and what ten
 * minutes of speech take: time and memory of the process that listens, and how long anything in
 * this one had to wait meanwhile.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { argv, stdout } from 'node:process'
import type { ListenerCosts } from '../src/subtitles/moonshine/listener-messages.ts'
import { moonshine } from '../src/subtitles/moonshine/moonshine.ts'
import { speak } from './speech.ts'
import { spokenSentences } from './spoken-sentences.ts'
import { countWordErrors } from './word-errors.ts'

const RIGHT_SHARE_MIN = 0.85
const MEMORY_MEGABYTES_MAX = 600
const WAIT_MILLISECONDS_MAX = 200
/** All sentences, over and over, for ten minutes. */
const ROUNDS = 6

const long = await measure(Number(argv[2] ?? ROUNDS))
const once = await measure(1)
const columns = ['seconds of speech', 'words', 'right', 'wall s', 'CPU s', 'memory MB', 'wait ms']
stdout.write(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`)
for (const one of [once, long]) {
  const cells = [
    one.seconds.toFixed(0),
    one.words,
    `${(100 * one.right).toFixed(1)} %`,
    one.wallSeconds.toFixed(1),
    one.cpuSeconds.toFixed(1),
    one.megabytes.toFixed(0),
    one.waitMilliseconds.toFixed(0),
  ]
  stdout.write(`| ${cells.join(' | ')} |\n`)
}
const isMet =
  Math.min(once.right, long.right) >= RIGHT_SHARE_MIN &&
  long.megabytes < MEMORY_MEGABYTES_MAX &&
  long.waitMilliseconds < WAIT_MILLISECONDS_MAX
stdout.write(
  `\nGoal: ${100 * RIGHT_SHARE_MIN} % right, less than ${MEMORY_MEGABYTES_MAX} MB, nobody waits ${WAIT_MILLISECONDS_MAX} ms: ${isMet ? 'met' : 'NOT met'}.\n`,
)
process.exitCode = isMet ? 0 : 1

async function measure(rounds: number) {
  const { sound, text } = await speak(rounds * spokenSentences.length)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const startedAt = performance.now()
  delay.enable()
  const { signal } = new AbortController()
  let costs: ListenerCosts = { cpuSeconds: Number.NaN, memoryBytesMax: Number.NaN }
  const onCosts = (told: ListenerCosts) => {
    costs = told
  }
  const { phrases } = await moonshine({ threads: 1, onCosts }).transcribe(sound, { signal })
  const waitMilliseconds = delay.max / 1e6
  const { words, errors } = countWordErrors(text, phrases.map((one) => one.text).join(' '))
  return {
    ...{ seconds: sound.seconds, words, right: 1 - errors / words, waitMilliseconds },
    wallSeconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: costs.cpuSeconds,
    megabytes: costs.memoryBytesMax / 1e6,
  }
}
