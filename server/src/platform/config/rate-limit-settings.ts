import { z } from 'zod'

const perMinute = z.coerce.number().int().min(1).max(100_000_000)

/** Rate limits of the API, each per minute and instance. */
export const rateLimitSettings = {
  /** Requests of an organization. */
  RATE_LIMIT_PER_MINUTE: perMinute.default(6000),
  /** Requests without a valid token, by IP address. Lower, because each one costs a database query. */
  FAILED_AUTHENTICATIONS_PER_MINUTE: perMinute.default(60),
  /** Public requests for videos that do not exist or are not accessible, by IP address. */
  FAILED_PLAYBACK_PER_MINUTE: perMinute.default(600),
}
