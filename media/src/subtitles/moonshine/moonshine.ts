/**
 * Moonshine tiny, on this machine and without a network: English, on clear speech some nineteen
 * words of twenty. Its runs would hold up everything else for as long as they last, and a fault of
 * its native library ends the process that it is in, as does stopping a thread in the middle of a
 * run. So each sound has a process of its own, which can be killed at any moment and gives its
 * memory back.
 */
import { fileURLToPath } from 'node:url'
import { type Collected, runCommand } from '../../sandbox/process.ts'
import {
  type Phrase,
  type Recogniser,
  RecognitionFailed,
  type Sound,
  type TranscribeOptions,
  type Transcript,
} from '../recogniser.ts'
import { type ListenerCosts, type ListenerMessage, messageReader } from './listener-messages.ts'

export type MoonshineOptions = {
  /** Of the processor, for one sound. More than two hardly make it faster. */
  readonly threads: number
  /** Told what a sound took, when all of it has been listened to. */
  readonly onCosts?: (costs: ListenerCosts) => void
}

/** Of objects alone; the models lie beside it. */
const HEAP_MEBIBYTES_MAX = 256

const limits = {
  /** For a video of 24 hours, at its own pace, on a machine with much else to do. */
  wallSeconds: 36 * 3600,
  /** Of such a video: a phrase of a hundred bytes each half of a second, and more. */
  stdoutBytes: 64 * 2 ** 20,
  /** It has nothing to complain about but its end. */
  stderrBytes: 2 ** 20,
}

const entry = fileURLToPath(new URL('./moonshine-listener.ts', import.meta.url))

export const moonshine = (options: MoonshineOptions): Recogniser => ({
  transcribe: async (sound, wish) => {
    assertEnglish(wish.language)
    return listen(sound, wish, options)
  },
})

/** Words of another language would come out as English that nobody said. */
function assertEnglish(language: string | undefined): void {
  if (language === undefined || /^(en|und)(-|$)/i.test(language)) return
  throw new RecognitionFailed('language', `The recogniser knows English only, not ${language}`)
}

async function listen(
  { path }: Sound,
  { signal, onProgress }: TranscribeOptions,
  { threads, onCosts }: MoonshineOptions,
): Promise<Transcript> {
  if (signal.aborted) throw calledOff(signal)
  const phrases: Phrase[] = []
  let last: ListenerMessage | undefined
  const onStdout = messageReader((message) => {
    last = message
    if (message.kind === 'phrase') phrases.push(message.phrase)
    if (message.kind === 'progress') onProgress?.(message.seconds)
  })
  const heap = `--max-old-space-size=${HEAP_MEBIBYTES_MAX}`
  const command = {
    program: process.execPath,
    arguments: [heap, entry, path, String(threads)],
  }
  const ended = await runCommand(command, { ...limits, signal, onStdout })
  if (last?.kind !== 'done') throw signal.aborted ? calledOff(signal) : whyNotDone(last, ended)
  onCosts?.(last.costs)
  return { language: 'en', phrases }
}

const calledOff = (signal: AbortSignal) =>
  new RecognitionFailed('aborted', 'The recognition was called off', { cause: signal.reason })

function whyNotDone(last: ListenerMessage | undefined, ended: Collected): RecognitionFailed {
  if (last?.kind === 'failed') return new RecognitionFailed('unavailable', last.why)
  const { startError, stopped, killedBy, code, stderr } = ended
  const how = startError?.message ?? stopped ?? killedBy ?? `code ${code}`
  return new RecognitionFailed(
    'unavailable',
    `The recogniser’s process ended before it was done: ${how}. ${lastWords(stderr)}`.trim(),
    { cause: startError },
  )
}

const LAST_WORDS_MAX = 300
const lastWords = (stderr: Buffer) => stderr.toString('utf8').trim().slice(-LAST_WORDS_MAX)
