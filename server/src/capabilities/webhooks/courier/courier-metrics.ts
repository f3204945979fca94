import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type CourierMetrics = ReturnType<typeof openCourierMetrics>

/** How one attempt ended: `refused` by a status, `silent` without an answer. */
export type AttemptOutcome = (typeof outcomes)[number]

const outcomes = ['delivered', 'refused', 'silent'] as const

/** From a receiver next door to one that was away for three days. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600, 3600, 36_000, 259_200]

export function openCourierMetrics(registry: Registry) {
  const attempts = new Counter({
    name: 'reelkeep_webhook_attempts_total',
    help: 'Requests to webhooks, by how they ended.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // Of a series that begins with 1, that it grew is not seen.
  for (const outcome of outcomes) attempts.inc({ outcome }, 0)
  const givenUp = new Counter({
    name: 'reelkeep_webhook_deliveries_failed_total',
    help: 'Events that a webhook was not told of in all the time for which it was tried.',
    registers: [registry],
  })
  const disabled = new Counter({
    name: 'reelkeep_webhooks_disabled_total',
    help: 'Webhooks that were disabled because they failed for too long, or said that they are gone.',
    labelNames: ['because'],
    registers: [registry],
  })
  const delay = new Histogram({
    name: 'reelkeep_webhook_delay_seconds',
    help: 'Time from an event, or from the wish to be told again, until the webhook has confirmed it.',
    buckets: SECONDS,
    registers: [registry],
  })
  const inHand = new Gauge({
    name: 'reelkeep_webhooks_in_hand',
    help: 'Webhooks that this worker delivers to at the moment.',
    registers: [registry],
  })
  return {
    countAttempt: (outcome: AttemptOutcome) => attempts.inc({ outcome }),
    countGivenUp: () => givenUp.inc(),
    countDisabled: (because: string) => disabled.inc({ because }),
    observeDelay: (seconds: number) => delay.observe(seconds),
    setInHand: (count: number) => inHand.set(count),
  }
}
