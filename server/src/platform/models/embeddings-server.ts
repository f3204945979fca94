/** Vectors of texts (`POST /v1/embeddings`). */
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { type ModelServer, postToModel, unusableResponse } from './model-server.ts'

/** Maximum number of texts per request, which all servers accept. */
export const TEXTS_PER_REQUEST_MAX = 64

/** More dimensions than any known model has. */
const DIMENSIONS_MAX = 8192
/** A number has at most 25 characters. */
const RESPONSE_BYTES_MAX = TEXTS_PER_REQUEST_MAX * DIMENSIONS_MAX * 26

const responseSchema = z.object({
  data: z
    .array(z.object({ index: z.number().int().min(0), embedding: z.array(z.number()).min(1).max(DIMENSIONS_MAX) }))
    .max(TEXTS_PER_REQUEST_MAX),
})

export class EmbeddingsServer {
  /** Identifies the model in the database. */
  readonly modelNumber: number
  readonly #server: ModelServer

  constructor(server: ModelServer) {
    this.modelNumber = crc32(server.model) | 0
    this.#server = server
  }

  /** Returns a vector for each text, in the same order. @throws ModelServerFailed */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]> {
    const body = { input: texts, encoding_format: 'float' }
    const request = { path: '/v1/embeddings', body, bytesMax: RESPONSE_BYTES_MAX, signal } as const
    const parsed = responseSchema.safeParse(await postToModel(this.#server, request))
    if (!parsed.success) throw unusableResponse(parsed.error)
    const vectors = new Map(parsed.data.data.map(({ index, embedding }) => [index, embedding]))
    return texts.map((_, index) => {
      const vector = vectors.get(index)
      if (!vector) throw unusableResponse()
      return vector
    })
  }
}

export type EmbeddingsConfig = {
  readonly EMBEDDINGS_URL?: string | undefined
  readonly EMBEDDINGS_KEY?: string | undefined
  readonly EMBEDDINGS_MODEL: string
}

/** Undefined if no server is configured. */
export const embeddingsServerFor = ({
  EMBEDDINGS_URL: url,
  EMBEDDINGS_KEY: key,
  EMBEDDINGS_MODEL: model,
}: EmbeddingsConfig): EmbeddingsServer | undefined =>
  url === undefined ? undefined : new EmbeddingsServer({ url, key, model })
