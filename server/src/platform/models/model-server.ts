/** Requests to a server with OpenAI's API: llama.cpp, vLLM, Ollama, text-embeddings-inference, or a hosted one. */

export type ModelServer = {
  /** Base URL, without a trailing slash. */
  readonly url: string
  /** Sent as a bearer token, and only to this server. */
  readonly key?: string | undefined
  readonly model: string
}

type FailureOptions = { readonly isTemporary: boolean; readonly cause?: unknown }

/** Why a request failed. `isTemporary`: the same request may succeed later. */
export class ModelServerFailed extends Error {
  readonly isTemporary: boolean

  constructor(message: string, { isTemporary, cause }: FailureOptions) {
    super(message, { cause })
    this.name = 'ModelServerFailed'
    this.isTemporary = isTemporary
  }
}

export type ModelRequest = {
  readonly path: '/v1/chat/completions' | '/v1/embeddings'
  readonly body: object
  /** Maximum size of the response. */
  readonly bytesMax: number
  readonly signal: AbortSignal
}

/** Returns the response, parsed as JSON. @throws ModelServerFailed */
export async function postToModel({ url, key, model }: ModelServer, request: ModelRequest): Promise<unknown> {
  const { path, body, bytesMax, signal } = request
  const response = await fetch(url + path, {
    ...{ method: 'POST', signal, redirect: 'error' },
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, ...body }),
  }).catch(unreachable)
  if (!response.ok) {
    await response.body?.cancel()
    const isTemporary = response.status === 429 || response.status >= 500
    throw new ModelServerFailed(`The model server responded with ${response.status}.`, { isTemporary })
  }
  const text = await boundedText(response, bytesMax).catch(unreachable)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unusableResponse(cause)
  }
}

export const unusableResponse = (cause?: unknown) =>
  new ModelServerFailed('The response of the model server has an unexpected format.', { isTemporary: false, cause })

function unreachable(cause: unknown): never {
  if (cause instanceof ModelServerFailed) throw cause
  throw new ModelServerFailed('The model server cannot be reached.', { isTemporary: true, cause })
}

async function boundedText(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax)
      throw new ModelServerFailed('The response of the model server is too long.', { isTemporary: false })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
