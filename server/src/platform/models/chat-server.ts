/** Client of a server with OpenAI's API (`POST /v1/chat/completions`): llama.cpp, vLLM, Ollama, or a hosted one. */
import { z } from 'zod'

export type ChatOptions = {
  /** Base URL, without a trailing slash. */
  readonly url: string
  /** Sent as a bearer token, and only to this server. */
  readonly key?: string | undefined
  readonly model: string
}

export class ChatFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ChatFailed'
  }
}

export type Conversation = {
  /** What the model has to do. */
  readonly instruction: string
  /** What it is about; may be written by anyone. */
  readonly input: string
  /** Longest answer. */
  readonly tokensMax: number
}

/** An answer has about four bytes per token, and JSON escapes make it longer. */
const RESPONSE_BYTES_MAX = 512 * 1024

const responseSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
})

export class ChatServer {
  readonly #options: ChatOptions

  constructor(options: ChatOptions) {
    this.#options = options
  }

  /** Returns the answer of the model, which is JSON if the server supports `response_format`. @throws ChatFailed */
  async answer({ instruction, input, tokensMax }: Conversation, signal: AbortSignal): Promise<string> {
    const { url, key, model } = this.#options
    const messages = [
      { role: 'system', content: instruction },
      { role: 'user', content: input },
    ]
    const options = { temperature: 0, max_tokens: tokensMax, response_format: { type: 'json_object' } }
    const response = await fetch(`${url}/v1/chat/completions`, {
      ...{ method: 'POST', signal, redirect: 'error' },
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, messages, ...options }),
    }).catch((cause: unknown) => {
      throw new ChatFailed('The chat server cannot be reached.', cause)
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new ChatFailed(`The chat server responded with ${response.status}.`)
    }
    return answerIn(await boundedText(response))
  }
}

function answerIn(body: string): string {
  try {
    const [choice] = responseSchema.parse(JSON.parse(body)).choices
    return choice?.message.content ?? ''
  } catch (error) {
    throw new ChatFailed('The response of the chat server has an unexpected format.', error)
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > RESPONSE_BYTES_MAX) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new ChatFailed('The connection to the chat server was lost.', error)
  }
  if (bytes > RESPONSE_BYTES_MAX) throw new ChatFailed('The response of the chat server is too long.')
  return Buffer.concat(chunks).toString()
}
