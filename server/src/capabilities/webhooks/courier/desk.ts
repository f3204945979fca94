import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import type { Patience } from './courier.rules.ts'
import type { CourierMetrics } from './courier-metrics.ts'
import type { Mail } from './deliver.ts'

/** Shared by all deliveries of a worker. */
export type Desk = {
  readonly workerId: string
  readonly keyRing: KeyRing
  readonly patience: Patience
  readonly mail: Mail
  readonly metrics: CourierMetrics
  readonly logger: Logger
  /** Nothing more is started; requests in progress continue. */
  readonly stopping: AbortSignal
}
