import { z } from 'zod'
import { seconds } from './fields.ts'

/** Webhooks are tried for days; what they tell of must be there as long. */
const KEPT_DAYS_MIN = 7

/** How long the log of events goes back. */
export const eventSettings = {
  EVENTS_KEPT_DAYS: z.coerce.number().int().min(KEPT_DAYS_MIN).max(3650).default(30),
}

const streams = z.coerce.number().int().min(1).max(100_000)

/** Of the live streams of events that an instance of the API serves. */
export const streamSettings = {
  /** Each is an open connection. */
  EVENT_STREAMS_MAX: streams.default(1000),
  EVENT_STREAMS_PER_ORGANIZATION_MAX: streams.default(100),
  /** Then a stream ends, and its caller connects again, perhaps to another instance. */
  EVENT_STREAM_SECONDS: seconds(86_400).default(3600),
  /** Shorter than the idle time of every proxy in between. */
  EVENT_STREAM_HEARTBEAT_SECONDS: seconds(300).default(15),
}
