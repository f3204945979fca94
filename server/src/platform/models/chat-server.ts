/** Asks a model one question (`POST /v1/chat/completions`). */
import { z } from 'zod'
import { type ModelServer, postToModel, unusableResponse } from './model-server.ts'

export type Conversation = {
  /** Task of the model. */
  readonly instruction: string
  /** Data for the task; may be written by anyone. */
  readonly input: string
  /** Longest answer. */
  readonly tokensMax: number
}

/** An answer has about four bytes per token, and JSON escapes make it longer. */
const RESPONSE_BYTES_MAX = 512 * 1024

const responseSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
})

/**
 * Returns the answer of the model, which is JSON if the server supports `response_format`.
 *
 * @throws ModelServerFailed
 */
export async function answerOf(
  server: ModelServer,
  { instruction, input, tokensMax }: Conversation,
  signal: AbortSignal,
): Promise<string> {
  const messages = [
    { role: 'system', content: instruction },
    { role: 'user', content: input },
  ]
  const body = { messages, temperature: 0, max_tokens: tokensMax, response_format: { type: 'json_object' } }
  const request = { path: '/v1/chat/completions', body, bytesMax: RESPONSE_BYTES_MAX, signal } as const
  const parsed = responseSchema.safeParse(await postToModel(server, request))
  if (!parsed.success) throw unusableResponse(parsed.error)
  return parsed.data.choices[0]?.message.content ?? ''
}
