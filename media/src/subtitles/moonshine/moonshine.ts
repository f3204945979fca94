/**
 * Transcribes with Moonshine tiny, locally and without network: English, about 19 of 20 words correct for clear
 * speech. Inference would block the event loop, and a crash of the native library, or stopping a thread during
 * a run, ends the whole process. So each transcription runs in a separate process, which can be killed at any
 * time and frees its memory.
 */
import { fileURLToPath } from 'node:url'
import { type ProcessResult, runCommand } from '../../sandbox/process.ts'
import {
  type AudioFile,
  type Phrase,
  type TranscribeOptions,
  type Transcriber,
  type Transcript,
  TranscriptionFailed,
} from '../transcription/transcriber.ts'
import { messageReader, type TranscriptionCosts, type TranscriptionMessage } from './process-messages.ts'

export type MoonshineOptions = {
  /** CPU threads per transcription. More than two threads make little difference. */
  readonly threads: number
  /** Called with the costs when a transcription is complete. */
  readonly onCosts?: (costs: TranscriptionCosts) => void
}

/** Heap limit of the transcription process, for JavaScript objects only: the models are outside the heap. */
const HEAP_MEBIBYTES_MAX = 256

const limits = {
  /** Time limit: sufficient for a video of 24 hours, in real time, on a busy machine. */
  wallSeconds: 36 * 3600,
  /** Output limit: sufficient for a phrase of a hundred bytes every half second. */
  stdoutBytes: 64 * 2 ** 20,
  /** stderr is only used for errors. */
  stderrBytes: 2 ** 20,
}

const entry = fileURLToPath(new URL('./moonshine-process.ts', import.meta.url))

export const moonshine = (options: MoonshineOptions): Transcriber => ({
  transcribe: async (audio, transcribeOptions) => {
    assertEnglish(transcribeOptions.language)
    return runProcess(audio, transcribeOptions, options)
  },
})

/** Rejects other languages, which the model would transcribe as nonsense in English. */
function assertEnglish(language: string | undefined): void {
  if (language === undefined || /^(en|und)(-|$)/i.test(language)) return
  throw new TranscriptionFailed('language', `The transcriber supports only English, not ${language}`)
}

async function runProcess(
  { path }: AudioFile,
  { signal, onProgress }: TranscribeOptions,
  { threads, onCosts }: MoonshineOptions,
): Promise<Transcript> {
  if (signal.aborted) throw abortError(signal)
  const phrases: Phrase[] = []
  let last: TranscriptionMessage | undefined
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
  const result = await runCommand(command, { ...limits, signal, onStdout })
  if (last?.kind !== 'done') throw signal.aborted ? abortError(signal) : processError(last, result)
  onCosts?.(last.costs)
  return { language: 'en', phrases }
}

const abortError = (signal: AbortSignal) =>
  new TranscriptionFailed('aborted', 'The transcription was aborted', { cause: signal.reason })

function processError(last: TranscriptionMessage | undefined, result: ProcessResult): TranscriptionFailed {
  if (last?.kind === 'failed') return new TranscriptionFailed('unavailable', last.error)
  const { startError, stopped, killedBy, code, stderr } = result
  const cause = startError?.message ?? stopped ?? killedBy ?? `code ${code}`
  return new TranscriptionFailed(
    'unavailable',
    `The transcription process ended early: ${cause}. ${stderrTail(stderr)}`.trim(),
    { cause: startError },
  )
}

const STDERR_TAIL_MAX = 300
const stderrTail = (stderr: Buffer) => stderr.toString('utf8').trim().slice(-STDERR_TAIL_MAX)
