/** One request to a webhook and its response. */
import { Webhook } from 'standardwebhooks'
import type { Dispatcher } from 'undici'
import type { EventId } from '../../kernel/ids.ts'
import { type Answer, retryAfterSeconds } from './delivery.rules.ts'
import { reasonOf, tooLate } from './no-answer.rules.ts'

/** Maximum bytes read of a response; then the connection is closed. */
const ANSWER_BYTES_MAX = 64 * 1024

/** Stored in the delivery log. */
const ANSWER_CHARACTERS_MAX = 1000

export type Letter = {
  readonly url: string
  readonly eventId: EventId
  /** JSON. */
  readonly body: string
  /** The request has one signature per secret. */
  readonly secrets: readonly string[]
  readonly sentAt: Date
}

export type Mail = {
  readonly agent: Dispatcher
  readonly userAgent: string
  /** From the start of the connection to the last byte of the response. */
  readonly secondsMax: number
  /** Aborts when the response is no longer needed. */
  readonly abandoned: AbortSignal
}

export type Reply = {
  readonly answer: Answer
  /** The beginning of the response body. */
  readonly text: string | null
  readonly error: string | null
  readonly milliseconds: number
}

/** Undefined if it was aborted: whether it has arrived is unknown. */
export async function deliver(letter: Letter, mail: Mail): Promise<Reply | undefined> {
  const begun = performance.now()
  const late = AbortSignal.timeout(mail.secondsMax * 1000)
  const signal = AbortSignal.any([mail.abandoned, late])
  const reply = await post(letter, mail, signal).catch((error: unknown) => {
    if (mail.abandoned.aborted) return undefined
    return silence(late.aborted ? tooLate(mail.secondsMax) : reasonOf(codeOf(error)))
  })
  return reply && { ...reply, milliseconds: Math.round(performance.now() - begun) }
}

const silence = (error: string) => ({ answer: { kind: 'silent' as const }, text: null, error })

async function post(letter: Letter, { agent, userAgent }: Mail, signal: AbortSignal) {
  const { origin, pathname, search } = new URL(letter.url)
  const { statusCode, headers, body } = await agent.request({
    origin,
    path: pathname + search,
    method: 'POST',
    headers: { ...signed(letter), 'content-type': 'application/json', 'user-agent': userAgent },
    body: letter.body,
    signal,
    // The signal limits the total time instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const text = await beginningOf(body)
  const retryAfter = retryAfterSeconds(headers['retry-after']?.toString(), new Date())
  const answer = {
    kind: 'answered' as const,
    status: statusCode,
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
  }
  return { answer, text, error: null }
}

function signed({ eventId, body, secrets, sentAt }: Letter) {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(eventId, sentAt, body))
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

/** Throws if the response breaks off. Leaving the loop early closes the connection. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= ANSWER_BYTES_MAX) break
  }
  const text = Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8')
  // Postgres texts cannot contain NUL.
  return text.slice(0, ANSWER_CHARACTERS_MAX).replaceAll('\0', '\uFFFD')
}

/** Connection attempts to several addresses of a host fail together; the first error counts. */
function codeOf(error: unknown): string {
  const { code, cause, errors } = error as {
    code?: unknown
    cause?: unknown
    errors?: readonly unknown[]
  }
  if (typeof code === 'string') return code
  if (cause ?? errors?.[0]) return codeOf(cause ?? errors?.[0])
  return error instanceof Error ? error.name : 'unknown'
}
