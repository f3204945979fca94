import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { failureStatuses } from './failure-statuses.ts'

export type Metrics = ReturnType<typeof openMetrics>
export type RequestMetrics = ReturnType<typeof openRequestMetrics>

type PoolSize = { open: number; idle: number; waiting: number }

export function openMetrics(databaseConnections: () => PoolSize) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'reelkeep_database_connections',
    help: 'Connections to Postgres, and work that waits for one.',
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
    help: 'Requests answered, by operation and status; 499 is a caller who gave up before.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'reelkeep_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer, or to the first of one that is streamed, or until its caller gave up.',
    labelNames: ['operation'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const inFlight = new Gauge({
    name: 'reelkeep_http_requests_in_flight',
    help: 'Requests that wait for their answer, or for the beginning of one that is streamed.',
    registers: [registry],
  })
  // Looking a series up by its labels costs more than counting in it.
  const countOf = remembered((key) => {
    const [operation = '', status = ''] = key.split(' ')
    return requests.labels({ operation, status })
  })
  const durationOf = remembered((operation) => duration.labels({ operation }))
  return {
    /** Of a series that begins with 1, that it grew is not seen. */
    expectRequests(operation: string) {
      for (const status of failureStatuses) requests.inc({ operation, status }, 0)
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

function remembered<Series>(make: (key: string) => Series): (key: string) => Series {
  const known = new Map<string, Series>()
  return (key) => {
    const series = known.get(key) ?? make(key)
    known.set(key, series)
    return series
  }
}

export type AskedGauge = {
  readonly name: string
  readonly help: string
  readonly ask: () => Promise<number>
}

/** Prometheus waits for ten seconds for all that a process tells, and then takes it for dead. */
const ANSWER_SECONDS_MAX = 4

/**
 * What is asked for a gauge; undefined if that failed or takes too long. Metrics are still wanted
 * while Postgres is away or slow; only this is then missing. (So such a statement `takesLong`:
 * others would stand behind it.)
 */
export async function answerInTime<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  const over = new AbortController()
  const late = sleep(ANSWER_SECONDS_MAX * 1000, undefined, { signal: over.signal })
  try {
    return await Promise.race([asked, late])
  } catch {
    return undefined
  } finally {
    over.abort()
  }
}

/** A number of seconds that the database knows. */
export function gaugeSeconds(registry: Registry, { name, help, ask }: AskedGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const seconds = await answerInTime(ask())
      if (seconds === undefined) this.remove()
      else this.set(seconds)
    },
  })
}
