/**
 * Moonshine tiny, in this process and without a network: English, on clear speech some nineteen words of twenty. Its runs would
 * hold up everything else for as long as they last, so each sound has a thread of its own, which ends with it and gives its memory back.
 */
import { Worker } from 'node:worker_threads'
import {
  type Phrase,
  type Recogniser,
  RecognitionFailed,
  type Sound,
  type TranscribeOptions,
  type Transcript,
} from '../recogniser.ts'
import type { ThreadInput, ThreadMessage } from './moonshine-thread.ts'

export type MoonshineOptions = {
  /** Of the processor, for one sound. More than two hardly make it faster. */
  readonly threads: number
}

/** Of objects alone; the models lie beside it. */
const HEAP_MEBIBYTES_MAX = 256

export const moonshine = ({ threads }: MoonshineOptions): Recogniser => ({
  transcribe: async (sound, options) => {
    assertEnglish(options.language)
    return listen(sound, threads, options)
  },
})

/** Words of another language would come out as English that nobody said. */
function assertEnglish(language: string | undefined): void {
  if (language === undefined || /^(en|und)(-|$)/i.test(language)) return
  throw new RecognitionFailed('language', `The recogniser knows English only, not ${language}`)
}

function listen(
  { path }: Sound,
  threads: number,
  { signal, onProgress }: TranscribeOptions,
): Promise<Transcript> {
  const input: ThreadInput = { path, threads }
  const thread = new Worker(new URL('./moonshine-thread.ts', import.meta.url), {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEBIBYTES_MAX },
  })
  const phrases: Phrase[] = []
  let isDone = false
  const stop = () => void thread.terminate()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return new Promise<Transcript>((resolve, reject) => {
    thread.on('message', (message: ThreadMessage) => {
      if (message.kind === 'phrase') phrases.push(message.phrase)
      if (message.kind === 'progress') onProgress?.(message.seconds)
      if (message.kind === 'done') isDone = true
    })
    thread.on('error', reject)
    thread.on('exit', (code) => {
      signal.removeEventListener('abort', stop)
      if (isDone) resolve({ language: 'en', phrases })
      else reject(whyNotDone(signal, code))
    })
  })
}

const whyNotDone = (signal: AbortSignal, code: number) =>
  signal.aborted
    ? new RecognitionFailed('aborted', 'The recognition was called off', { cause: signal.reason })
    : new RecognitionFailed('unavailable', `The recogniser’s thread ended with ${code}`)
