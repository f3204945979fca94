import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Patience } from './delivery.rules.ts'
import type { DispatchMetrics } from './dispatch-metrics.ts'
import type { Mail } from './http-client.ts'

/** Shared by all deliveries of a worker. */
export type Desk = {
  readonly workerId: string
  readonly keyRing: KeyRing
  readonly patience: Patience
  readonly mail: Mail
  readonly metrics: DispatchMetrics
  readonly logger: Logger
  /** Nothing more is started; requests in progress continue. */
  readonly stopping: AbortSignal
}
