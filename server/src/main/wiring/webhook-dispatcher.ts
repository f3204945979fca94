import type { OrganizationId } from '../../kernel/ids.ts'
import { EVENTS_CHANNEL } from '../../modules/events/events.ts'
import {
  DeliveryAgents,
  releaseLeftoverClaims,
  WebhookDispatcher,
} from '../../modules/webhook-dispatch/webhook-dispatch.ts'
import { openListener } from '../../platform/db/listener.ts'
import type { WorkerContext } from './context.ts'
import { workerIntervals } from './worker-options.ts'

/** Maximum duration of a webhook request. A slower receiver should accept the event first and process it afterwards. */
const REQUEST_SECONDS_MAX = 15
const CONNECT_SECONDS_MAX = 5

/**
 * Opens the dispatcher in workers that serve the queue `light`, because deliveries are short, I/O-bound work. Other
 * workers only release leftover claims.
 */
export const webhookDispatcherFor = (context: WorkerContext): AsyncDisposable =>
  context.config.WORKER_QUEUES.includes('light')
    ? openDispatcher(context)
    : releaseLeftoverClaims({
        database: context.database,
        workerId: context.config.WORKER_ID,
        logger: context.logger,
        intervals: workerIntervals(context.config),
      })

/** Dispatches events to webhooks until disposed. */
function openDispatcher({
  config,
  database,
  logger,
  version,
  dispatchMetrics: metrics,
}: WorkerContext): AsyncDisposable {
  const dispatcher = new WebhookDispatcher({
    ...{ database, logger, metrics },
    workerId: config.WORKER_ID,
    keyRing: config.KEY_ENCRYPTION_KEYS,
    retryPolicy: {
      retrySeconds: config.WEBHOOK_RETRY_HOURS * 3600,
      disableSeconds: config.WEBHOOK_DISABLE_HOURS * 3600,
      firstPauseSeconds: config.WEBHOOK_FIRST_PAUSE_SECONDS,
    },
    agents: new DeliveryAgents({
      ports: config.WEBHOOK_PORTS,
      developmentNetworks: config.WEBHOOK_DEVELOPMENT_NETWORKS,
      connectSecondsMax: CONNECT_SECONDS_MAX,
    }),
    userAgent: `Reelkeep/${version}`,
    requestSecondsMax: REQUEST_SECONDS_MAX,
    drainSeconds: config.WORKER_DRAIN_SECONDS,
    intervals: workerIntervals(config),
  })
  const listener = openListener({
    url: config.DATABASE_WORKER_URL,
    channels: [EVENTS_CHANNEL],
    onMessage: (_, organizationId) => dispatcher.wake(organizationId as OrganizationId),
    onGap: () => void dispatcher.poll(),
    logger,
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all([listener[Symbol.asyncDispose](), dispatcher[Symbol.asyncDispose]()])
    },
  }
}
