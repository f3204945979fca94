import { z } from 'zod'
import { isNetworkPort } from '../network/network-ports.ts'
import { splitList } from './fields.ts'

const hours = (maximum: number) => z.coerce.number().int().min(1).max(maximum)

const portsError = 'must be port numbers, separated by commas'

/** Webhook settings, which must be equal for the API and all workers. */
export const webhookSettings = {
  /** Ports that webhooks may use on the public internet. */
  WEBHOOK_PORTS: z
    .string()
    .default('443')
    .transform((text) => splitList(text).map(Number))
    .pipe(z.array(z.int(portsError).min(1, portsError).max(65_535, portsError)).min(1, portsError).max(50)),
  /** For development: private networks that webhooks of every organization may use, such as `127.0.0.0/8:*`. */
  WEBHOOK_DEVELOPMENT_NETWORKS: z
    .string()
    .default('')
    .transform(splitList)
    .refine((texts) => texts.every(isNetworkPort), 'must be networks with a port such as 127.0.0.0/8:*'),
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
