import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import type { Patience } from './courier.rules.ts'
import type { CourierMetrics } from './courier-metrics.ts'
import type { Mail } from './deliver.ts'

/** What all deliveries of a worker have in common. */
export type Desk = {
  readonly workerId: string
  readonly keyRing: KeyRing
  readonly patience: Patience
  readonly mail: Mail
  readonly metrics: CourierMetrics
  readonly logger: Logger
  /** Nothing more is begun; what is under way goes on. */
  readonly stopping: AbortSignal
}
