import { NEWS_CHANNEL } from '../capabilities/events/events.ts'
import { Courier } from '../capabilities/webhooks/courier/courier.ts'
import { giveBackWhatIsLeft } from '../capabilities/webhooks/courier/giving-back.ts'
import type { OrganizationId } from '../kernel/ids.ts'
import { openListener } from '../platform/db/listener.ts'
import { openOutsideAgent } from '../platform/outside/outside-agent.ts'
import type { WorkerContext } from './context.ts'

/** A receiver that takes longer should take the event first and work on it then. */
const REQUEST_SECONDS_MAX = 15
const CONNECT_SECONDS_MAX = 5

/** Deliveries are short work that waits for others, like the jobs of that queue. */
export const courierOf = (context: WorkerContext): AsyncDisposable =>
  context.config.WORKER_QUEUES.includes('light')
    ? openCourier(context)
    : giveBackWhatIsLeft(context.database, context.config.WORKER_ID, context.logger)

/** Tells webhooks what happened, from when it is woken until it is disposed of. */
function openCourier({
  config,
  database,
  logger,
  version,
  courierMetrics: metrics,
}: WorkerContext): AsyncDisposable {
  const courier = new Courier({
    ...{ database, logger, metrics },
    workerId: config.WORKER_ID,
    keyRing: config.KEY_ENCRYPTION_KEYS,
    patience: {
      retrySeconds: config.WEBHOOK_RETRY_HOURS * 3600,
      disableSeconds: config.WEBHOOK_DISABLE_HOURS * 3600,
      firstPauseSeconds: config.WEBHOOK_FIRST_PAUSE_SECONDS,
    },
    agent: openOutsideAgent({
      allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
      connectSecondsMax: CONNECT_SECONDS_MAX,
    }),
    userAgent: `Reelkeep/${version}`,
    requestSecondsMax: REQUEST_SECONDS_MAX,
    drainSeconds: config.WORKER_DRAIN_SECONDS,
  })
  const listener = openListener({
    url: config.DATABASE_WORKER_URL,
    channels: [NEWS_CHANNEL],
    onMessage: (_, organizationId) => courier.wake(organizationId as OrganizationId),
    onGap: () => void courier.look(),
    logger,
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all([listener[Symbol.asyncDispose](), courier[Symbol.asyncDispose]()])
    },
  }
}
