/** A courier in the test's own process, at the webhooks of a stage. */
import { Courier } from '@reelkeep/server/capabilities/webhooks/courier/courier.ts'
import { openCourierMetrics } from '@reelkeep/server/capabilities/webhooks/courier/courier-metrics.ts'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import type { KeyRing } from '@reelkeep/server/platform/config/key-settings.ts'
import { openListener } from '@reelkeep/server/platform/db/listener.ts'
import { toNetworks } from '@reelkeep/server/platform/http/network.ts'
import { openLogger } from '@reelkeep/server/platform/observability/logger.ts'
import { openMetrics } from '@reelkeep/server/platform/observability/metrics.ts'
import { openOutsideAgent } from '@reelkeep/server/platform/outside/outside-agent.ts'
import { expect } from 'vitest'
import type { openWebhookStage } from './webhook-stage.ts'

type Stage = Awaited<ReturnType<typeof openWebhookStage>>

const logger = openLogger('silent')

export type Manner = {
  readonly firstPauseSeconds?: number
  readonly requestSecondsMax?: number
  readonly networks?: readonly string[]
  readonly keyRing?: KeyRing
}

/** A courier as the worker has it, but impatient. */
export function openCourierAt(stage: Stage, manner: Manner = {}) {
  const allowedNetworks = toNetworks(manner.networks ?? ['127.0.0.0/8'])
  if (!allowedNetworks) throw new Error('not networks')
  const { registry } = openMetrics(() => stage.asWorker.connections)
  const courier = new Courier({
    workerId: 'courier-test',
    database: stage.asWorker,
    keyRing: manner.keyRing ?? stage.keyRing,
    logger,
    metrics: openCourierMetrics(registry),
    patience: {
      retrySeconds: 72 * 3600,
      disableSeconds: 120 * 3600,
      firstPauseSeconds: manner.firstPauseSeconds ?? 0.2,
    },
    agent: openOutsideAgent({ allowedNetworks, connectSecondsMax: 5 }),
    userAgent: 'Reelkeep/test',
    requestSecondsMax: manner.requestSecondsMax ?? 5,
    drainSeconds: 0,
  })
  const listener = openListener({
    url: stage.env.DATABASE_WORKER_URL,
    channels: ['reelkeep_events'],
    onMessage: (_, id) => courier.wake(id as OrganizationId),
    onGap: () => void courier.look(),
    logger,
  })
  const scope = new AsyncDisposableStack()
  scope.use(courier)
  scope.use(listener)
  return { registry, [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

export const soon = <Value>(look: () => Value | Promise<Value>) =>
  expect.poll(look, { timeout: 10_000, interval: 20 })

/** The pauses of the ladder are over. One after the other: couriers hold deliveries before webhooks, too. */
export const makeDueAt = async (stage: Stage) => {
  await stage.superuser.query(
    `update webhook_deliveries set due_at = now() where state = 'waiting'`,
  )
  await stage.superuser.query(
    'update webhooks set due_at = now(), rests_until = least(rests_until, now()) where due_at is not null',
  )
}
