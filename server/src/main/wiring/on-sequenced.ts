import type { OnSequenced } from '../../modules/events/events.ts'
import { fanOut } from '../../modules/webhooks/webhooks.ts'

/** Creates webhook deliveries in the transaction that sequences events. */
export const onSequenced: OnSequenced = fanOut
