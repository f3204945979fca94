/** A webhook dispatcher in the test's own process, for the webhooks of a fixture. */

import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { openDispatchMetrics } from '@reelkeep/server/modules/webhook-dispatch/dispatch-metrics.ts'
import { DeliveryAgents, WebhookDispatcher } from '@reelkeep/server/modules/webhook-dispatch/webhook-dispatch.ts'
import type { KeyRing } from '@reelkeep/server/platform/config/key-settings.ts'
import { openListener } from '@reelkeep/server/platform/db/listener.ts'
import { onlyNetworks, openGuardedAgent } from '@reelkeep/server/platform/network/guarded-agent.ts'
import { toNetworkPorts } from '@reelkeep/server/platform/network/network-ports.ts'
import { openLogger } from '@reelkeep/server/platform/observability/logger.ts'
import { openMetrics } from '@reelkeep/server/platform/observability/metrics.ts'
import { expect } from 'vitest'
import type { openWebhookFixture } from './webhook-fixture.ts'

type Fixture = Awaited<ReturnType<typeof openWebhookFixture>>

const logger = openLogger('silent')

export type TestDispatcherOptions = {
  readonly firstPauseSeconds?: number
  readonly requestSecondsMax?: number
  /** Networks that the dispatcher treats like the public internet, which tests cannot reach. */
  readonly publicNetworks?: readonly string[]
  readonly keyRing?: KeyRing
  readonly sessionsMax?: number
  readonly pollSeconds?: number
}

/** Opens the worker's dispatcher with short pauses. */
export function openTestDispatcher(fixture: Fixture, options: TestDispatcherOptions = {}) {
  const networks = toNetworkPorts(options.publicNetworks ?? ['127.0.0.0/8:*'])
  if (!networks) throw new Error('not networks')
  const publicAgent = openGuardedAgent({ isAllowed: onlyNetworks(networks), connectSecondsMax: 5 })
  const { registry } = openMetrics(() => fixture.asWorker.connections)
  const dispatcher = new WebhookDispatcher({
    workerId: 'dispatcher-test',
    database: fixture.asWorker,
    keyRing: options.keyRing ?? fixture.keyRing,
    logger,
    metrics: openDispatchMetrics(registry),
    retryPolicy: {
      retrySeconds: 72 * 3600,
      disableSeconds: 120 * 3600,
      firstPauseSeconds: options.firstPauseSeconds ?? 0.2,
    },
    agents: new DeliveryAgents({ ports: [], developmentNetworks: [], connectSecondsMax: 5 }, publicAgent),
    userAgent: 'Reelkeep/test',
    requestSecondsMax: options.requestSecondsMax ?? 60,
    drainSeconds: 0,
    intervals: { pollSeconds: options.pollSeconds ?? 0.025 },
    ...(options.sessionsMax !== undefined && { sessionsMax: options.sessionsMax }),
  })
  const listener = openListener({
    url: fixture.env.DATABASE_WORKER_URL,
    channels: ['reelkeep_events'],
    onMessage: (_, id) => dispatcher.wake(id as OrganizationId),
    onGap: () => void dispatcher.poll(),
    logger,
  })
  const scope = new AsyncDisposableStack()
  scope.use(dispatcher)
  scope.use(listener)
  return { registry, [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

/** Polls until the assertion holds. */
export const eventually = <Value>(query: () => Value | Promise<Value>) => expect.poll(query, { interval: 20 })

/** Ends the retry pauses. Locks deliveries before webhooks, in the same order as the dispatchers. */
export const makeDeliveriesDue = async (fixture: Fixture, { id }: { readonly id?: string } = {}) => {
  await fixture.superuser.query(
    `update webhook_deliveries set due_at = now()
     where state = 'waiting' and webhook_id = coalesce($1, webhook_id)`,
    [id ?? null],
  )
  await fixture.superuser.query(
    `update webhooks set due_at = now(), rests_until = least(rests_until, now())
     where due_at is not null and id = coalesce($1, id)`,
    [id ?? null],
  )
}
