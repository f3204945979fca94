import { z } from 'zod'
import { httpUrl } from './fields.ts'

/** What hears the words of videos. */
export const recogniserSettings = {
  /** `moonshine` in the worker itself, `openai` a server that speaks as OpenAI's does, `none` nothing. */
  RECOGNISER: z.enum(['moonshine', 'openai', 'none']).default('moonshine'),
  /** Where such a server has its `/v1/audio/transcriptions`. */
  RECOGNISER_URL: httpUrl.optional(),
  /** Sent to it as a bearer token. */
  RECOGNISER_KEY: z.string().min(1).max(1000).optional(),
  RECOGNISER_MODEL: z.string().min(1).max(200).default('whisper-1'),
}

type RecogniserChoice = {
  readonly RECOGNISER: string
  readonly RECOGNISER_URL?: string | undefined
}

export const hasRecogniserUrl = ({ RECOGNISER, RECOGNISER_URL }: RecogniserChoice) =>
  RECOGNISER !== 'openai' || RECOGNISER_URL !== undefined

export const recogniserUrlFault = {
  path: ['RECOGNISER_URL'],
  message: 'is needed with RECOGNISER=openai',
}
