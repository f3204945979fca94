import { z } from 'zod'
import { httpUrl } from './fields.ts'

/** Speech recognition for automatic subtitles. */
export const transcriberSettings = {
  /** `moonshine`: in the worker. `openai`: a server with OpenAI's API. `none`: no automatic subtitles. */
  TRANSCRIBER: z.enum(['moonshine', 'openai', 'none']).default('moonshine'),
  /** Base URL of the transcription server; `/v1/audio/transcriptions` is appended. */
  TRANSCRIBER_URL: httpUrl.optional(),
  /** Bearer token for the transcription server. */
  TRANSCRIBER_KEY: z.string().min(1).max(1000).optional(),
  TRANSCRIBER_MODEL: z.string().min(1).max(200).default('whisper-1'),
}

type TranscriberChoice = {
  readonly TRANSCRIBER: string
  readonly TRANSCRIBER_URL?: string | undefined
}

export const hasTranscriberUrl = ({ TRANSCRIBER, TRANSCRIBER_URL }: TranscriberChoice) =>
  TRANSCRIBER !== 'openai' || TRANSCRIBER_URL !== undefined

export const transcriberUrlError = {
  path: ['TRANSCRIBER_URL'],
  message: 'is required with TRANSCRIBER=openai',
}
