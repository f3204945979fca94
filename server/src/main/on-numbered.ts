import type { OnNumbered } from '../capabilities/events/events.ts'

/** What happens to events in the moment in which they get their numbers. */
export const onNumbered: OnNumbered = () => []
