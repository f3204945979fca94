/** Delivers an event to a webhook and evaluates the response. */

import type { OrganizationId } from '../../kernel/ids.ts'
import { addSpanAttributes, continueTrace, SpanKind } from '../../platform/observability/tracing.ts'
import { toEvent } from '../events/events.ts'
import { signingSecrets } from '../webhooks/webhooks.ts'
import type { Due, Target } from './claims.store.ts'
import { type Outcome, outcomeOf, type Standing } from './delivery.rules.ts'
import type { Desk } from './dispatch-context.ts'
import { deliver, type Reply } from './http-client.ts'
import type { Attempt } from './outcome.store.ts'

/** An event to be delivered, and when it was read, by the process's clock. */
export type Errand = {
  readonly organizationId: OrganizationId
  readonly target: Target
  readonly due: Due
  readonly readAt: number
}

export type Told = {
  readonly attempt: Attempt
  readonly outcome: Outcome
}

/**
 * Undefined if it was aborted: the result is unknown, and the event is delivered again. Throws if it cannot be
 * signed and nothing was sent: the receiver cannot change that, and the error says what the operator has to do.
 */
export async function tell(errand: Errand, desk: Desk): Promise<Told | undefined> {
  const reply = await send(errand, desk)
  if (!reply) return undefined
  const outcome = outcomeOf(reply.answer, standing(errand), desk.patience, Math.random())
  note(errand, reply, outcome, desk)
  const { number, numberedAt, attempts } = errand.due
  const status = reply.answer.kind === 'answered' ? reply.answer.status : null
  const { milliseconds, text: answer, error } = reply
  const { url } = errand.target
  return {
    attempt: { number, numberedAt, attempts, url, milliseconds, status, answer, error },
    outcome,
  }
}

async function send(errand: Errand, desk: Desk): Promise<Reply | undefined> {
  const { organizationId, target, due } = errand
  const sentAt = new Date(Date.parse(target.now) + secondsSince(errand.readAt) * 1000)
  const place = { organizationId, webhookId: target.webhookId }
  const secrets = signingSecrets(desk.keyRing, place, target, sentAt)
  const body = JSON.stringify(toEvent(due))
  const letter = { url: target.url, eventId: due.id, body, secrets, sentAt }
  return continueTrace(due.traceparent, spanOf(errand), async () => {
    const reply = await deliver(letter, desk.mail)
    addSpanAttributes(reply ? attributesOf(reply) : { outcome: 'abandoned' })
    return reply
  })
}

/** Without the URL, which may contain a secret. */
const spanOf = ({ organizationId, target, due }: Errand) => ({
  name: 'webhook delivery',
  kind: SpanKind.CLIENT,
  attributes: {
    organization_id: organizationId,
    webhook_id: target.webhookId,
    event_id: due.id,
    event_type: due.type,
    attempt: due.attempts + 1,
    ...(due.assetId !== null && { asset_id: due.assetId }),
  },
})

const attributesOf = ({ answer }: Reply) =>
  answer.kind === 'answered'
    ? { outcome: 'answered', 'http.response.status_code': answer.status }
    : { outcome: 'silent' }

function standing({ target, due, readAt }: Errand): Standing {
  const since = secondsSince(readAt)
  return {
    silences: target.silences,
    refusals: due.refusals,
    triedSeconds: due.triedSeconds + since,
    failingSeconds: target.failingSeconds === null ? undefined : target.failingSeconds + since,
  }
}

function note({ due, readAt }: Errand, { answer }: Reply, { delivery }: Outcome, desk: Desk): void {
  const { metrics } = desk
  if (delivery.state === 'delivered') {
    metrics.countAttempt('delivered')
    metrics.observeDelay(due.triedSeconds + secondsSince(readAt))
    return
  }
  metrics.countAttempt(answer.kind === 'silent' ? 'silent' : 'refused')
  if (delivery.state === 'failed') metrics.countGivenUp()
}

const secondsSince = (moment: number) => (performance.now() - moment) / 1000
