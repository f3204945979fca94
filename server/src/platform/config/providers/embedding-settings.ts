import { z } from 'zod'
import { httpUrl } from '../fields.ts'

/** A server that turns texts into vectors, for the search by meaning. */
export const embeddingSettings = {
  /** Base URL of a server with OpenAI's API; `/v1/embeddings` is appended. Without it, a search compares words only. */
  EMBEDDINGS_URL: httpUrl.optional(),
  /** Bearer token for that server. */
  EMBEDDINGS_KEY: z.string().min(1).max(1000).optional(),
  EMBEDDINGS_MODEL: z.string().min(1).max(200).default('text-embedding-3-small'),
}
