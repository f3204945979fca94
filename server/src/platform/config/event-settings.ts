import { z } from 'zod'

/** Webhooks are tried for days; what they tell of must be there as long. */
const KEPT_DAYS_MIN = 7

/** How long the log of events goes back. */
export const eventSettings = {
  EVENTS_KEPT_DAYS: z.coerce.number().int().min(KEPT_DAYS_MIN).max(3650).default(30),
}
