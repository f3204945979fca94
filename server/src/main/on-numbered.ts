import type { OnNumbered } from '../capabilities/events/events.ts'
import { fanOut } from '../capabilities/webhooks/webhooks.ts'

/** What happens to events in the moment in which they get their numbers: webhooks are to be told of them. */
export const onNumbered: OnNumbered = fanOut
