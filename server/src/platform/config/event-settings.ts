import { z } from 'zod'
import { seconds } from './fields.ts'

/** Minimum retention of events, which must exceed the time for which webhook deliveries are retried. */
const RETENTION_DAYS_MIN = 7

/**
 * Maximum retention of events. Readers of the event log lock all its weekly partitions, and Postgres' lock table holds
 * only some thousand locks.
 */
const RETENTION_DAYS_MAX = 90

/** Retention of the event log and of the audit log. */
export const eventSettings = {
  AUDIT_RETENTION_DAYS: z.coerce.number().int().min(30).max(36_500).default(400),
  EVENT_RETENTION_DAYS: z.coerce.number().int().min(RETENTION_DAYS_MIN).max(RETENTION_DAYS_MAX).default(30),
}

const streams = z.coerce.number().int().min(1).max(100_000)

/** Limits for the live event streams of an API instance. */
export const streamSettings = {
  /** Maximum number of streams; each is an open connection. */
  EVENT_STREAMS_MAX: streams.default(1000),
  EVENT_STREAMS_PER_ORGANIZATION_MAX: streams.default(100),
  /** Maximum duration of a stream; the client then reconnects, possibly to another instance. */
  EVENT_STREAM_SECONDS: seconds(86_400).default(3600),
  /** Interval of heartbeats, which must be shorter than the idle timeout of every proxy. */
  EVENT_STREAM_HEARTBEAT_SECONDS: seconds(300).default(15),
}

type RetentionSettings = {
  readonly EVENT_RETENTION_DAYS: number
  readonly WEBHOOK_RETRY_HOURS: number
}

/** Events must not be deleted while their deliveries may be retried. */
export const outlastsRetries = ({ EVENT_RETENTION_DAYS, WEBHOOK_RETRY_HOURS }: RetentionSettings): boolean =>
  WEBHOOK_RETRY_HOURS <= (EVENT_RETENTION_DAYS - 1) * 24

export const retriesError = {
  path: ['WEBHOOK_RETRY_HOURS'],
  message: 'must be at least a day shorter than EVENT_RETENTION_DAYS',
}
