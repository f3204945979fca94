/**
 * A server that speaks as OpenAI's does (`POST /v1/audio/transcriptions`): whisper.cpp, speaches,
 * vLLM, a hosted one. It is given the sound in pieces of ten minutes at most, one after the other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Phrase,
  type Recogniser,
  RecognitionFailed,
  type Sound,
  type TranscribeOptions,
  type Transcript,
} from '../recogniser.ts'
import { quietCuts, type SoundPiece, secondsAt } from './quiet-cuts.ts'
import { transcriptionForm } from './transcription-form.ts'
import { sendPiece } from './transcription-request.ts'
import { type PieceTranscript, readVerboseAnswer } from './verbose-answer.ts'

export type OpenAiCompatibleOptions = {
  /** Where `/v1/audio/transcriptions` is, without a slash at the end. */
  readonly url: string
  /** Sent as a bearer token, and to nobody else. */
  readonly key?: string
  readonly model: string
  /** Of one piece. A machine without a graphics card takes about as long as the sound. */
  readonly timeoutSeconds?: number
  readonly firstPauseSeconds?: number
}

const TIMEOUT_SECONDS = 1800
/** In place, so that a moment's absence does not cost the pieces before it. */
const TRIES_MAX = 4
const FIRST_PAUSE_SECONDS = 1

export const openAiCompatible = (options: OpenAiCompatibleOptions): Recogniser => ({
  transcribe: async (sound, { signal, language, onProgress }) => {
    const phrases: Phrase[] = []
    /** What was detected first goes for the rest: a quiet piece would be taken for anything. */
    let known = language
    for await (const piece of quietCuts(sound)) {
      const heard = await listen(options, sound, piece, { signal, ...languageField(known) })
      phrases.push(...heard.phrases)
      if (heard.phrases.length > 0 && heard.language !== 'und') known ??= heard.language
      onProgress?.(secondsAt(piece.end))
    }
    return { language: known ?? 'und', phrases } satisfies Transcript
  },
})

const languageField = (language: string | undefined) => (language === undefined ? {} : { language })

async function listen(
  options: OpenAiCompatibleOptions,
  sound: Sound,
  piece: SoundPiece,
  { signal, language }: TranscribeOptions,
): Promise<PieceTranscript> {
  const pause = options.firstPauseSeconds ?? FIRST_PAUSE_SECONDS
  for (let tried = 1; ; tried++) {
    try {
      return await ask(options, sound, piece, { signal, ...languageField(language) })
    } catch (error) {
      const isWorthIt = error instanceof RecognitionFailed && error.reason === 'unavailable'
      if (!isWorthIt || tried === TRIES_MAX) throw error
      await sleep(pause * 2 ** (tried - 1) * 1000, undefined, { signal }).catch(() => undefined)
    }
  }
}

async function ask(
  { url, key, model, timeoutSeconds = TIMEOUT_SECONDS }: OpenAiCompatibleOptions,
  { path }: Sound,
  piece: SoundPiece,
  { signal, language }: TranscribeOptions,
): Promise<PieceTranscript> {
  const fields = {
    ...{ model, response_format: 'verbose_json' },
    // It takes two letters, without a country.
    ...(language === undefined ? {} : { language: new Intl.Locale(language).language }),
  }
  const text = await sendPiece({
    ...{ url: new URL(`${url}/v1/audio/transcriptions`), key, path, piece, timeoutSeconds, signal },
    form: transcriptionForm(fields, piece.end - piece.start),
  })
  const read = readVerboseAnswer(text, secondsAt(piece.start))
  if (read) return read
  throw new RecognitionFailed('refused', 'The recogniser answered no transcript (verbose_json)')
}
