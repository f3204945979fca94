import { z } from 'zod'

const perMinute = z.coerce.number().int().min(1).max(100_000_000)

/** Rate limits of the API, each per minute. */
export const rateLimitSettings = {
  /** Points of an organization. A request uses one point, and more if its body is large or it takes seconds. */
  RATE_LIMIT_PER_MINUTE: perMinute.default(6000),
  /** Points of an API token. */
  RATE_LIMIT_PER_TOKEN_PER_MINUTE: perMinute.optional(),
  /** Where the points are counted: by each instance, or for all instances. */
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres']).default('memory'),
  /** Requests without a valid token, by IP address. Lower, because each one costs a database query. */
  FAILED_AUTHENTICATIONS_PER_MINUTE: perMinute.default(60),
  /** Public requests for videos that do not exist or are not accessible, by IP address. */
  FAILED_PLAYBACK_PER_MINUTE: perMinute.default(600),
}
