/**
 * `pnpm bench transcripts`: measures how many words of fixed sentences are transcribed correctly, and the costs of ten
 * minutes of speech: time and memory of the transcription process, and the event loop delay of this process.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { argv, stdout } from 'node:process'
import { moonshine } from '../../src/subtitles/moonshine/moonshine.ts'
import type { TranscriptionCosts } from '../../src/subtitles/moonshine/process-messages.ts'
import { synthesizeSpeech } from '../sources/speech.ts'
import { spokenSentences } from '../sources/spoken-sentences.ts'
import { countWordErrors } from './word-errors.ts'

const CORRECT_SHARE_MIN = 0.85
const MEMORY_MEGABYTES_MAX = 600
const DELAY_MILLISECONDS_MAX = 200
/** Number of repetitions of all sentences, which take ten minutes. */
const ROUNDS = 6

const long = await measure(Number(argv[2] ?? ROUNDS))
const once = await measure(1)
const columns = ['seconds of speech', 'words', 'correct', 'wall s', 'CPU s', 'memory MB', 'delay ms']
stdout.write(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`)
for (const result of [once, long]) {
  const cells = [
    result.seconds.toFixed(0),
    result.words,
    `${(100 * result.correctShare).toFixed(1)} %`,
    result.wallSeconds.toFixed(1),
    result.cpuSeconds.toFixed(1),
    result.megabytes.toFixed(0),
    result.delayMilliseconds.toFixed(0),
  ]
  stdout.write(`| ${cells.join(' | ')} |\n`)
}
const isMet =
  Math.min(once.correctShare, long.correctShare) >= CORRECT_SHARE_MIN &&
  long.megabytes < MEMORY_MEGABYTES_MAX &&
  long.delayMilliseconds < DELAY_MILLISECONDS_MAX
stdout.write(
  `\nGoal: ${100 * CORRECT_SHARE_MIN} % correct, less than ${MEMORY_MEGABYTES_MAX} MB, event loop delay below ${DELAY_MILLISECONDS_MAX} ms: ${isMet ? 'met' : 'NOT met'}.\n`,
)
process.exitCode = isMet ? 0 : 1

async function measure(rounds: number) {
  const { audio, text } = await synthesizeSpeech(rounds * spokenSentences.length)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const startedAt = performance.now()
  delay.enable()
  const { signal } = new AbortController()
  let costs: TranscriptionCosts = { cpuSeconds: Number.NaN, memoryBytesMax: Number.NaN }
  const onCosts = (total: TranscriptionCosts) => {
    costs = total
  }
  const { phrases } = await moonshine({ threads: 1, onCosts }).transcribe(audio, { signal })
  const delayMilliseconds = delay.max / 1e6
  const { words, errors } = countWordErrors(text, phrases.map((phrase) => phrase.text).join(' '))
  return {
    ...{ seconds: audio.seconds, words, correctShare: 1 - errors / words, delayMilliseconds },
    wallSeconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: costs.cpuSeconds,
    megabytes: costs.memoryBytesMax / 1e6,
  }
}
