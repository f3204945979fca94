/**
 * Client of a server with OpenAI's API (`POST /v1/audio/transcriptions`): whisper.cpp, speaches,
 * vLLM, or a hosted one. Audio is sent in segments of at most ten minutes, one after the other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AudioFile,
  type Phrase,
  type TranscribeOptions,
  type Transcriber,
  type Transcript,
  TranscriptionFailed,
} from '../transcription/transcriber.ts'
import { type AudioSegment, secondsAt, splitAudio } from './split-audio.ts'
import { transcriptionForm } from './transcription-form.ts'
import { sendSegment } from './transcription-request.ts'
import { parseVerboseResponse, type SegmentTranscript } from './verbose-response.ts'

export type OpenAiCompatibleOptions = {
  /** Base URL of `/v1/audio/transcriptions`, without a trailing slash. */
  readonly url: string
  /** API key, sent as a bearer token and only to this server. */
  readonly key?: string
  readonly model: string
  /** Timeout per segment. A machine without a GPU takes about as long as the audio. */
  readonly timeoutSeconds?: number
  readonly firstPauseSeconds?: number
}

const TIMEOUT_SECONDS = 1800
/** Maximum number of attempts per segment, so that a short outage does not discard the previous segments. */
const ATTEMPTS_MAX = 4
const FIRST_PAUSE_SECONDS = 1

export const openAiCompatible = (options: OpenAiCompatibleOptions): Transcriber => ({
  transcribe: async (audio, { signal, language, onProgress }) => {
    const phrases: Phrase[] = []
    /** The first detected language is used for all segments, because detection is unreliable for quiet ones. */
    let known = language
    for await (const segment of splitAudio(audio)) {
      const transcript = await transcribeWithRetries(options, audio, segment, {
        signal,
        ...languageField(known),
      })
      phrases.push(...transcript.phrases)
      if (transcript.phrases.length > 0 && transcript.language !== 'und') known ??= transcript.language
      onProgress?.(secondsAt(segment.end))
    }
    return { language: known ?? 'und', phrases } satisfies Transcript
  },
})

const languageField = (language: string | undefined) => (language === undefined ? {} : { language })

async function transcribeWithRetries(
  options: OpenAiCompatibleOptions,
  audio: AudioFile,
  segment: AudioSegment,
  { signal, language }: TranscribeOptions,
): Promise<SegmentTranscript> {
  const pause = options.firstPauseSeconds ?? FIRST_PAUSE_SECONDS
  for (let attempt = 1; ; attempt++) {
    try {
      return await requestTranscript(options, audio, segment, {
        signal,
        ...languageField(language),
      })
    } catch (error) {
      const canRetry = error instanceof TranscriptionFailed && error.reason === 'unavailable'
      if (!canRetry || attempt === ATTEMPTS_MAX) throw error
      await sleep(pause * 2 ** (attempt - 1) * 1000, undefined, { signal }).catch(() => undefined)
    }
  }
}

async function requestTranscript(
  { url, key, model, timeoutSeconds = TIMEOUT_SECONDS }: OpenAiCompatibleOptions,
  { path }: AudioFile,
  segment: AudioSegment,
  { signal, language }: TranscribeOptions,
): Promise<SegmentTranscript> {
  const fields = {
    ...{ model, response_format: 'verbose_json' },
    // The API takes a two-letter language code without a region.
    ...(language === undefined ? {} : { language: new Intl.Locale(language).language }),
  }
  const text = await sendSegment({
    ...{
      url: new URL(`${url}/v1/audio/transcriptions`),
      key,
      path,
      segment,
      timeoutSeconds,
      signal,
    },
    form: transcriptionForm(fields, segment.end - segment.start),
  })
  const read = parseVerboseResponse(text, secondsAt(segment.start))
  if (read) return read
  throw new TranscriptionFailed('refused', 'The transcription server did not return a transcript (verbose_json)')
}
