import type { OnSequenced } from '../capabilities/events/events.ts'
import { fanOut } from '../capabilities/webhooks/webhooks.ts'

/** Creates webhook deliveries in the transaction that sequences events. */
export const onSequenced: OnSequenced = fanOut
