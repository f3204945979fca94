import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { serverErrorStatuses } from './server-error-statuses.ts'

export type Metrics = ReturnType<typeof openMetrics>
export type RequestMetrics = ReturnType<typeof openRequestMetrics>

type PoolSize = { open: number; idle: number; waiting: number }

/**
 * Interval at which the event loop lag is sampled, which is also the lag of an idle event loop. The default, 10 ms,
 * uses half a percent of a core in an idle process.
 */
const EVENT_LOOP_SAMPLE_MILLISECONDS = 100

export function openMetrics(databaseConnections: () => PoolSize) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MILLISECONDS })
  new Gauge({
    name: 'reelkeep_database_connections',
    help: 'Connections to Postgres (open, idle) and requests that wait for one (waiting).',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, value] of Object.entries(databaseConnections())) this.set({ state }, value)
    },
  })
  return {
    registry,
    /** The text that Prometheus scrapes. */
    exposition: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

export function openRequestMetrics(registry: Registry) {
  const requests = new Counter({
    name: 'reelkeep_http_requests_total',
    help: 'HTTP requests by operation and status; 499 means that the client disconnected before the response.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'reelkeep_http_request_duration_seconds',
    help: 'Time from the first byte of the request to the last byte of the response, to the first byte of a streamed response, or until the client disconnected.',
    labelNames: ['operation'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const inFlight = new Gauge({
    name: 'reelkeep_http_requests_in_flight',
    help: 'Requests in progress; a streamed response counts until its first byte.',
    registers: [registry],
  })
  // Series are cached, because looking one up by its labels costs more than incrementing it.
  const countOf = memoized((key) => {
    const [operation = '', status = ''] = key.split(' ')
    return requests.labels({ operation, status })
  })
  const durationOf = memoized((operation) => duration.labels({ operation }))
  return {
    /** Starts the series of an operation at 0: Prometheus does not see an increase from absent to 1. */
    initializeSeries(operation: string) {
      for (const status of serverErrorStatuses) requests.inc({ operation, status }, 0)
      duration.zero({ operation })
    },
    beginRequest: () => inFlight.inc(),
    endRequest: () => inFlight.dec(),
    countRequest(operation: string, status: number, seconds: number) {
      countOf(`${operation} ${status}`).inc()
      durationOf(operation).observe(seconds)
    },
  }
}

function memoized<Series>(make: (key: string) => Series): (key: string) => Series {
  const known = new Map<string, Series>()
  return (key) => {
    const series = known.get(key) ?? make(key)
    known.set(key, series)
    return series
  }
}

export type QueriedGauge = {
  readonly name: string
  readonly help: string
  readonly query: () => Promise<number>
}

/**
 * Maximum duration of a query for a gauge. Prometheus' scrape timeout is ten seconds; after it the whole process counts
 * as down.
 */
const QUERY_SECONDS_MAX = 4

/**
 * Value for a gauge; undefined if the query failed or takes too long, so that the other metrics are still served
 * while Postgres is unavailable or slow. Such statements use `dedicatedConnection`, so that no query waits for them.
 */
export async function withinScrapeTimeout<Value>(query: Promise<Value>): Promise<Value | undefined> {
  const over = new AbortController()
  const late = sleep(QUERY_SECONDS_MAX * 1000, undefined, { signal: over.signal })
  try {
    return await Promise.race([query, late])
  } catch {
    return undefined
  } finally {
    over.abort()
  }
}

/** A gauge in seconds whose value is queried from the database. */
export function gaugeSeconds(registry: Registry, { name, help, query }: QueriedGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const seconds = await withinScrapeTimeout(query())
      if (seconds === undefined) this.remove()
      else this.set(seconds)
    },
  })
}
