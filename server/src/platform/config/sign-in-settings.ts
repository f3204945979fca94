import { seconds } from './fields.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Lifetime of the sessions of people. */
export const sessionSettings = {
  /** A session that was not used for this long has ended. */
  SESSION_IDLE_SECONDS: seconds(90 * DAY).default(12 * HOUR),
  /** A session ends this long after the sign-in, even if it is used. */
  SESSION_SECONDS: seconds(90 * DAY).default(14 * DAY),
}
