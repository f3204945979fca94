import { z } from 'zod'
import { httpUrl } from '../fields.ts'

/** A language model that proposes chapters from a transcript. */
export const chapterSettings = {
  /** Base URL of a server with OpenAI's API; `/v1/chat/completions` is appended. Without it, changes of topic count. */
  CHAPTERS_URL: httpUrl.optional(),
  /** Bearer token for that server. */
  CHAPTERS_KEY: z.string().min(1).max(1000).optional(),
  CHAPTERS_MODEL: z.string().min(1).max(200).default('gpt-4o-mini'),
}
