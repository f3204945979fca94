/** Sends an event to a webhook and evaluates the response. */
import { Webhook } from 'standardwebhooks'
import type { Dispatcher } from 'undici'
import type { EventId, OrganizationId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import { requestErrorReason, timeoutReason } from '../../platform/network/request-errors.ts'
import { addSpanAttributes, continueTrace, SpanKind } from '../../platform/observability/tracing.ts'
import { toEvent } from '../events/events.ts'
import { signingSecrets } from '../webhooks/webhooks.ts'
import type { DueEvent, Endpoint } from './claims.store.ts'
import { type Outcome, outcomeOf, parseRetryAfter, type RetryPolicy, type WebhookResponse } from './delivery.rules.ts'
import type { DispatchMetrics } from './dispatch-metrics.ts'
import type { Attempt } from './results.store.ts'

/** Maximum number of bytes read from a response; then the connection is closed. */
const RESPONSE_BYTES_MAX = 64 * 1024

/** Characters of a response that are stored in the delivery log. */
const RESPONSE_CHARACTERS_MAX = 1000

type HttpClient = {
  readonly agent: Dispatcher
  readonly userAgent: string
  /** Time limit from the start of the connection to the last byte of the response. */
  readonly requestSecondsMax: number
  /** Aborts all requests. */
  readonly aborted: AbortSignal
}

export type AttemptContext = {
  readonly keyRing: KeyRing
  readonly retryPolicy: RetryPolicy
  readonly httpClient: HttpClient
  readonly metrics: DispatchMetrics
}

/** An event to send, and when it was read, by the process's clock. */
type Delivery = {
  readonly organizationId: OrganizationId
  readonly endpoint: Endpoint
  readonly due: DueEvent
  readonly readAt: number
}

export type DeliveryResult = { readonly attempt: Attempt; readonly outcome: Outcome }

/** A request before it is signed. */
type DeliveryRequest = {
  readonly url: string
  readonly eventId: EventId
  /** JSON text. */
  readonly body: string
  /** The request has one signature per secret. */
  readonly secrets: readonly string[]
  readonly sentAt: Date
}

type Reply = {
  readonly response: WebhookResponse
  /** The beginning of the response body. */
  readonly answer: string | null
  /** Why there was no response. */
  readonly error: string | null
}

/**
 * Undefined if the request was aborted: the result is unknown, and the event is sent again. Throws if the request
 * cannot be signed, which the receiver cannot change; the error says what the operator has to do.
 */
export async function attemptDelivery(
  delivery: Delivery,
  context: AttemptContext,
): Promise<DeliveryResult | undefined> {
  const { endpoint, due, readAt } = delivery
  const request = toRequest(delivery, context.keyRing)
  const startedAt = performance.now()
  const reply = await continueTrace(due.traceparent, spanOf(delivery), async () => {
    const reply = await send(request, context.httpClient)
    addSpanAttributes(reply ? attributesOf(reply.response) : { outcome: 'aborted' })
    return reply
  })
  if (!reply) return undefined
  const { response, answer, error } = reply
  const milliseconds = Math.round(performance.now() - startedAt)
  const triedSeconds = due.triedSeconds + secondsSince(readAt)
  const failingSeconds = endpoint.failingSeconds === null ? undefined : endpoint.failingSeconds + secondsSince(readAt)
  const history = {
    ...{ triedSeconds, failingSeconds },
    noResponses: endpoint.noResponses,
    failures: due.failures,
  }
  const retries = { ...context.retryPolicy, random: Math.random() }
  const outcome = outcomeOf(response, history, retries)
  const status = response.kind === 'response' ? response.status : null
  countAttempt(context.metrics, { status, outcome, triedSeconds })
  return { attempt: { url: endpoint.url, milliseconds, status, answer, error }, outcome }
}

function toRequest(delivery: Delivery, keyRing: KeyRing): DeliveryRequest {
  const { organizationId, endpoint, due, readAt } = delivery
  const sentAt = new Date(Date.parse(endpoint.now) + secondsSince(readAt) * 1000)
  const owner = { organizationId, webhookId: endpoint.webhookId }
  const secrets = signingSecrets(keyRing, { owner, row: endpoint, now: sentAt })
  const body = JSON.stringify(toEvent(due))
  return { url: endpoint.url, eventId: due.id, body, secrets, sentAt }
}

/** The span of a delivery. It does not contain the URL, which may contain a secret. */
const spanOf = ({ organizationId, endpoint, due }: Delivery) => ({
  name: 'webhook delivery',
  kind: SpanKind.CLIENT,
  attributes: {
    organization_id: organizationId,
    webhook_id: endpoint.webhookId,
    event_id: due.id,
    event_type: due.type,
    attempt: due.attempts + 1,
    ...(due.assetId !== null && { asset_id: due.assetId }),
  },
})

const attributesOf = (response: WebhookResponse) =>
  response.kind === 'response'
    ? { outcome: 'response', 'http.response.status_code': response.status }
    : { outcome: 'no_response' }

/** Sends the request. Undefined if it was aborted: whether the receiver got it is unknown. */
async function send(request: DeliveryRequest, client: HttpClient): Promise<Reply | undefined> {
  const timeout = AbortSignal.timeout(client.requestSecondsMax * 1000)
  try {
    return await post(request, client, AbortSignal.any([client.aborted, timeout]))
  } catch (error) {
    if (client.aborted.aborted) return undefined
    const reason = timeout.aborted ? timeoutReason(client.requestSecondsMax) : requestErrorReason(error)
    return { response: { kind: 'noResponse' }, answer: null, error: reason }
  }
}

async function post(request: DeliveryRequest, { agent, userAgent }: HttpClient, signal: AbortSignal): Promise<Reply> {
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

function countAttempt(
  metrics: DispatchMetrics,
  attempt: { status: number | null; outcome: Outcome; triedSeconds: number },
): void {
  const { state } = attempt.outcome.delivery
  if (state === 'delivered') {
    metrics.countAttempt('delivered')
    metrics.observeDelay(attempt.triedSeconds)
    return
  }
  metrics.countAttempt(attempt.status === null ? 'no_response' : 'refused')
  if (state === 'failed') metrics.countFailed()
}

const secondsSince = (moment: number) => (performance.now() - moment) / 1000
