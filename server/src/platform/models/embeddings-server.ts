/**
 * Client of a server with OpenAI's API (`POST /v1/embeddings`): llama.cpp, vLLM, text-embeddings-inference, or a hosted
 * one.
 */
import { crc32 } from 'node:zlib'
import { z } from 'zod'

export type EmbeddingsOptions = {
  /** Base URL, without a trailing slash. */
  readonly url: string
  /** Sent as a bearer token, and only to this server. */
  readonly key?: string | undefined
  readonly model: string
}

/** Why a request failed. `isTemporary`: the same request may succeed later. */
export class EmbeddingsFailed extends Error {
  readonly isTemporary: boolean

  constructor(message: string, options: { readonly isTemporary: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = 'EmbeddingsFailed'
    this.isTemporary = options.isTemporary
  }
}

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
  readonly #options: EmbeddingsOptions

  constructor(options: EmbeddingsOptions) {
    this.modelNumber = crc32(options.model) | 0
    this.#options = options
  }

  /** Returns a vector for each text, in the same order. @throws EmbeddingsFailed */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]> {
    const parsed = responseSchema.safeParse(await this.#request(texts, signal))
    if (!parsed.success) throw unusable('has an unexpected format', parsed.error)
    const vectors = new Map(parsed.data.data.map(({ index, embedding }) => [index, embedding]))
    return texts.map((_, index) => {
      const vector = vectors.get(index)
      if (!vector) throw unusable('has no vector for some of the texts')
      return vector
    })
  }

  async #request(input: readonly string[], signal: AbortSignal): Promise<unknown> {
    const { url, key, model } = this.#options
    const response = await fetch(`${url}/v1/embeddings`, {
      ...{ method: 'POST', signal, redirect: 'error' },
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, input, encoding_format: 'float' }),
    }).catch(unreachable)
    if (!response.ok) {
      await response.body?.cancel()
      const isTemporary = response.status === 429 || response.status >= 500
      throw new EmbeddingsFailed(`The embeddings server responded with ${response.status}.`, { isTemporary })
    }
    const text = await boundedText(response).catch(unreachable)
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw unusable('is not JSON', cause)
    }
  }
}

function unreachable(cause: unknown): never {
  if (cause instanceof EmbeddingsFailed) throw cause
  throw new EmbeddingsFailed('The embeddings server cannot be reached.', { isTemporary: true, cause })
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > RESPONSE_BYTES_MAX) throw unusable('is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const unusable = (reason: string, cause?: unknown) =>
  new EmbeddingsFailed(`The response of the embeddings server ${reason}.`, { isTemporary: false, cause })

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
