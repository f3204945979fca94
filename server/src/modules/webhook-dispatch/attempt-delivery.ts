/** Sends an event to a webhook and evaluates the response. */
import type { OrganizationId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import { addSpanAttributes, continueTrace, SpanKind } from '../../platform/observability/tracing.ts'
import { toEvent } from '../events/events.ts'
import { signingSecrets } from '../webhooks/webhooks.ts'
import type { DueEvent, Endpoint } from './claims.store.ts'
import { type Outcome, outcomeOf, type RetryPolicy, type WebhookResponse } from './delivery.rules.ts'
import type { DispatchMetrics } from './dispatch-metrics.ts'
import { type DeliveryRequest, type HttpClient, sendRequest } from './requests/send-request.ts'
import type { Attempt } from './results.store.ts'

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
    const reply = await sendRequest(request, context.httpClient)
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
  const { url, networks } = endpoint
  return { url, networks, eventId: due.id, body, secrets, sentAt }
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
