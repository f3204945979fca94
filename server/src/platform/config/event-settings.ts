import { z } from 'zod'
import { seconds } from './fields.ts'

/** Webhooks are tried for days; what they tell of must be there as long. */
const KEPT_DAYS_MIN = 7

/** Each day is a table, which whoever reads the log locks: Postgres has room for some thousand locks at a time. */
const KEPT_DAYS_MAX = 90

/** How long the log of events goes back. */
export const eventSettings = {
  EVENTS_KEPT_DAYS: z.coerce.number().int().min(KEPT_DAYS_MIN).max(KEPT_DAYS_MAX).default(30),
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

type Patience = { readonly EVENTS_KEPT_DAYS: number; readonly WEBHOOK_RETRY_HOURS: number }

/** What is still to be told must not go with its day. */
export const outlastsRetries = ({ EVENTS_KEPT_DAYS, WEBHOOK_RETRY_HOURS }: Patience): boolean =>
  WEBHOOK_RETRY_HOURS <= (EVENTS_KEPT_DAYS - 1) * 24

export const retriesFault = {
  path: ['WEBHOOK_RETRY_HOURS'],
  message: 'must be shorter than EVENTS_KEPT_DAYS by a day',
}
