import { z } from 'zod'
import { toNetworks } from '../http/network.ts'
import { listed } from './fields.ts'

const hours = (most: number) => z.coerce.number().int().min(1).max(most)

/** What whoever takes the addresses of webhooks and whoever calls them must agree upon. */
export const webhookSettings = {
  /**
   * Networks of the operator's own that webhooks may lie in, beside the public internet:
   * `10.1.0.0/16, fd00:1::/32`.
   */
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .default('')
    .transform((text, context) => {
      const networks = toNetworks(listed(text))
      if (networks) return networks
      const message = 'must be networks such as 10.1.0.0/16, with commas between several'
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }),
}

/** How long whoever calls them is patient. */
export const courierSettings = {
  /** For so long an event is tried to be told, and then not any more. */
  WEBHOOK_RETRY_HOURS: hours(720).default(72),
  /** A webhook that fails for so long, without one success, is disabled. */
  WEBHOOK_DISABLE_HOURS: hours(8760).default(120),
  /** The pause after the first failure; those after it are the longer in proportion. */
  WEBHOOK_FIRST_PAUSE_SECONDS: z.coerce.number().min(0.001).max(60).default(5),
}
