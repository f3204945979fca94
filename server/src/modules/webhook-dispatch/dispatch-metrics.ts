import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { DisableReason } from './delivery.rules.ts'

export type DispatchMetrics = ReturnType<typeof openDispatchMetrics>

/** Label of an attempt: `refused` is an error response, `no_response` is no response. */
const outcomes = ['delivered', 'refused', 'no_response'] as const

/** Histogram buckets, from a nearby receiver to one that was unavailable for three days. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600, 3600, 36_000, 259_200]

export function openDispatchMetrics(registry: Registry) {
  const attempts = new Counter({
    name: 'reelkeep_webhook_attempts_total',
    help: 'Requests to webhooks, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // Start at 0: Prometheus does not see the increase of a series that starts at 1.
  for (const outcome of outcomes) attempts.inc({ outcome }, 0)
  const failed = new Counter({
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
  const claimed = new Gauge({
    name: 'reelkeep_webhooks_claimed',
    help: 'Webhooks that this worker is delivering to.',
    registers: [registry],
  })
  return {
    countAttempt: (outcome: (typeof outcomes)[number]) => attempts.inc({ outcome }),
    countFailed: () => failed.inc(),
    countDisabled: (because: DisableReason) => disabled.inc({ because }),
    observeDelay: (seconds: number) => delay.observe(seconds),
    setClaimed: (count: number) => claimed.set(count),
  }
}
