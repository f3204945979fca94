/** Signs a request to a webhook, sends it, and reads the response. */
import { Webhook } from 'standardwebhooks'
import type { Dispatcher } from 'undici'
import type { EventId } from '../../../kernel/ids.ts'
import { isForbidden } from '../../../platform/network/guarded-agent.ts'
import { requestErrorReason, timeoutReason } from '../../../platform/network/request-errors.ts'
import { parseRetryAfter, type WebhookResponse } from '../delivery.rules.ts'
import type { DeliveryAgents } from './delivery-agents.ts'

/** Maximum number of bytes read from a response; then the connection is closed. */
const RESPONSE_BYTES_MAX = 64 * 1024

/** Characters of a response that are stored in the delivery log. */
const RESPONSE_CHARACTERS_MAX = 1000

export type HttpClient = {
  readonly agents: DeliveryAgents
  readonly userAgent: string
  /** Time limit from the start of the connection to the last byte of the response. */
  readonly requestSecondsMax: number
  /** Aborts all requests. */
  readonly aborted: AbortSignal
}

/** A request before it is signed. */
export type DeliveryRequest = {
  readonly url: string
  /** Private networks that the organization may use. */
  readonly networks: readonly string[]
  readonly eventId: EventId
  /** JSON text. */
  readonly body: string
  /** The request has one signature per secret. */
  readonly secrets: readonly string[]
  readonly sentAt: Date
}

type Reply = {
  readonly response: WebhookResponse
  /** The beginning of the response body. Null for a private network: webhooks must not read from it. */
  readonly answer: string | null
  /** Why there was no response. */
  readonly error: string | null
}

/** Sends the request. Undefined if it was aborted: whether the receiver got it is unknown. */
export async function sendRequest(request: DeliveryRequest, client: HttpClient): Promise<Reply | undefined> {
  const timeout = AbortSignal.timeout(client.requestSecondsMax * 1000)
  try {
    return await sendToNetwork(request, client, AbortSignal.any([client.aborted, timeout]))
  } catch (error) {
    if (client.aborted.aborted) return undefined
    const reason = timeout.aborted ? timeoutReason(client.requestSecondsMax) : requestErrorReason(error)
    return { response: { kind: 'noResponse' }, answer: null, error: reason }
  }
}

/**
 * Sends the request to the public internet or, if its address is not there, to the organization's private networks.
 * Tries the one first that the last request to this origin needed: a refused attempt costs as much as a request.
 */
async function sendToNetwork(
  request: DeliveryRequest,
  { agents, userAgent }: HttpClient,
  signal: AbortSignal,
): Promise<Reply> {
  const { origin } = new URL(request.url)
  const privateAgent = agents.privateAgent(request.networks)
  const post = async (agent: Dispatcher) => {
    const reply = await postTo(request, { agent, userAgent }, signal)
    return agent === privateAgent ? { ...reply, answer: null } : reply
  }
  if (!privateAgent) return post(agents.publicAgent)
  const isPrivate = agents.isPrivate(origin)
  const [first, second] = isPrivate ? [privateAgent, agents.publicAgent] : [agents.publicAgent, privateAgent]
  try {
    return await post(first)
  } catch (error) {
    if (!isForbidden(error)) throw error
    agents.setPrivate(origin, !isPrivate)
    return post(second)
  }
}

type Sender = { readonly agent: Dispatcher; readonly userAgent: string }

async function postTo(request: DeliveryRequest, { agent, userAgent }: Sender, signal: AbortSignal): Promise<Reply> {
  const { origin, pathname, search } = new URL(request.url)
  const { statusCode, headers, body } = await agent.request({
    origin,
    path: pathname + search,
    method: 'POST',
    headers: {
      ...signatureHeaders(request),
      'content-type': 'application/json',
      'user-agent': userAgent,
    },
    body: request.body,
    signal,
    // No separate timeouts: the signal limits the total time.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const answer = await beginningOf(body)
  const retryAfterSeconds = parseRetryAfter(headers['retry-after']?.toString(), new Date())
  const response = {
    kind: 'response' as const,
    status: statusCode,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
  return { response, answer, error: null }
}

function signatureHeaders({ eventId, body, secrets, sentAt }: DeliveryRequest) {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(eventId, sentAt, body))
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

/** Reads the beginning of a body. Throws if the connection closes early. Leaving the loop closes the connection. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= RESPONSE_BYTES_MAX) break
  }
  const text = Buffer.concat(chunks).subarray(0, RESPONSE_BYTES_MAX).toString('utf8')
  // Postgres texts cannot contain NUL.
  return text.slice(0, RESPONSE_CHARACTERS_MAX).replaceAll('\0', '\uFFFD')
}
