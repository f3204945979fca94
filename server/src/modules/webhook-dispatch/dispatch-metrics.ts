import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type DispatchMetrics = ReturnType<typeof openDispatchMetrics>

/** Result of an attempt: `refused` with an error status, `silent` without a response. */
export type AttemptOutcome = (typeof outcomes)[number]

const outcomes = ['delivered', 'refused', 'silent'] as const

/** From a nearby receiver to one that was unavailable for three days. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600, 3600, 36_000, 259_200]

export function openDispatchMetrics(registry: Registry) {
  const attempts = new Counter({
    name: 'reelkeep_webhook_attempts_total',
    help: 'Requests to webhooks, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // A series that starts with 1 shows no increase, so start with 0.
  for (const outcome of outcomes) attempts.inc({ outcome }, 0)
  const givenUp = new Counter({
    name: 'reelkeep_webhook_deliveries_failed_total',
    help: 'Deliveries that failed permanently after all retries.',
    registers: [registry],
  })
  const disabled = new Counter({
    name: 'reelkeep_webhooks_disabled_total',
    help: 'Webhooks that were disabled because they failed for too long or responded with 410 Gone.',
    labelNames: ['because'],
    registers: [registry],
  })
  const delay = new Histogram({
    name: 'reelkeep_webhook_delay_seconds',
    help: 'Time from an event or its replay until the webhook has confirmed it.',
    buckets: SECONDS,
    registers: [registry],
  })
  const inHand = new Gauge({
    name: 'reelkeep_webhooks_claimed',
    help: 'Webhooks that this worker is delivering to.',
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
