import { z } from 'zod'
import { toNetworks } from '../network/cidr.ts'
import { splitList } from './fields.ts'

const hours = (maximum: number) => z.coerce.number().int().min(1).max(maximum)

/** Webhook settings, which must be equal for the API and all workers. */
export const webhookSettings = {
  /** Networks that webhooks may use in addition to the public internet: `10.1.0.0/16, fd00:1::/32`. */
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .default('')
    .transform((text, context) => {
      const networks = toNetworks(splitList(text))
      if (networks) return networks
      const message = 'must be networks such as 10.1.0.0/16, separated by commas'
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }),
}

/** Retry policy of webhook deliveries. */
export const dispatcherSettings = {
  /** How long a delivery is retried. */
  WEBHOOK_RETRY_HOURS: hours(720).default(72),
  /** A webhook is disabled after failing for this long without a success. */
  WEBHOOK_DISABLE_HOURS: hours(8760).default(120),
  /** Pause of deliveries after a webhook's first failure; later pauses scale with it. */
  WEBHOOK_FIRST_PAUSE_SECONDS: z.coerce.number().min(0.001).max(60).default(5),
}
