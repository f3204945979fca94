/**
 * The service level objectives. deploy/monitoring/prometheus and deploy/monitoring/grafana are generated from them, and
 * docs/operations/slos.md explains them.
 */

/** An objective allows a share of bad events within thirty days. */
export type Slo = {
  /** The value of the label `slo`. */
  readonly name: string
  /** Name of the alert for this objective. */
  readonly alert: string
  readonly title: string
  readonly objective: number
  /** Bad events per second, over a window such as `5m`. */
  readonly bad: (window: string) => string
  readonly all: (window: string) => string
  readonly summary: string
}

/** Selects the operations of the contract, without playback, health checks and pages. */
const api = 'operation!~"none|play|playAccess|embed|oembed"'

/**
 * Excludes clients that disconnected: they got no response, neither good nor bad. The latency SLO includes their wait.
 */
const responded = 'status!="499"'

const rateOf = (series: string, window: string) => `sum(rate(${series}[${window}]))`
/** A series that has not started counts as 0. */
const orNone = (expression: string) => `(${expression} or vector(0))`

/** Number of observations above this limit of a histogram. */
const above = (name: string, labels: string, seconds: string, window: string) => {
  const of = (more: string) => [labels, more].filter(Boolean).join(',')
  const within = rateOf(`${name}_bucket{${of(`le="${seconds}"`)}}`, window)
  return `${rateOf(`${name}_count{${of('')}}`, window)} - ${within}`
}

/** Selects uploads that the service detected. If a client completes its upload, the delay depends on the client. */
const unprompted = 'detected_by!="client"'

const failuresOfOurs = 'reelkeep_processing_failures_total{code=~"processing_.*|key_provider_failed"}'

/** Rate of failures that are not caused by the file: failed videos, and attempts that a worker's disk made fail. */
const internalFailures = (window: string) =>
  `${orNone(rateOf(failuresOfOurs, window))} + ${orNone(rateOf('reelkeep_disk_failures_total', window))}`

export const slos: readonly Slo[] = [
  {
    name: 'api',
    alert: 'ApiErrors',
    title: 'API: served without a server error',
    objective: 0.999,
    bad: (window) => orNone(rateOf(`reelkeep_http_requests_total{${api},status=~"5.."}`, window)),
    all: (window) => rateOf(`reelkeep_http_requests_total{${api},${responded}}`, window),
    summary: 'Too many requests to the API fail with a 5xx status.',
  },
  {
    name: 'api_latency',
    alert: 'ApiSlow',
    title: 'API: served within half a second',
    objective: 0.99,
    bad: (window) => above('reelkeep_http_request_duration_seconds', api, '0.5', window),
    all: (window) => rateOf(`reelkeep_http_request_duration_seconds_count{${api}}`, window),
    summary: 'Too many requests to the API take longer than half a second.',
  },
  {
    name: 'upload',
    alert: 'UploadsDetectedLate',
    title: 'Upload: detected within 30 seconds',
    objective: 0.99,
    bad: (window) => above('reelkeep_upload_detected_seconds', unprompted, '30', window),
    all: (window) => rateOf(`reelkeep_upload_detected_seconds_count{${unprompted}}`, window),
    summary: 'Too many uploaded files are detected only after 30 seconds.',
  },
  {
    name: 'playable',
    alert: 'PlayableLate',
    title: 'Time to playable: within two minutes of the upload',
    objective: 0.95,
    bad: (window) => `${above('reelkeep_time_to_playable_seconds', '', '120', window)} + ${internalFailures(window)}`,
    all: (window) => `${rateOf('reelkeep_time_to_playable_seconds_count', window)} + ${internalFailures(window)}`,
    summary: 'Too many videos take longer than two minutes to be playable, or fail because of the service.',
  },
  {
    name: 'delivery',
    alert: 'DeliveryErrors',
    title: 'Delivery: requests served without a server error',
    objective: 0.999,
    bad: (window) => orNone(rateOf('reelkeep_playback_responses_total{status=~"5.."}', window)),
    all: (window) => rateOf('reelkeep_playback_responses_total', window),
    summary: 'Too many playback requests fail with a 5xx status.',
  },
]

/** Windows over which errors are measured. */
export const windows = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const

type Window = (typeof windows)[number]

/** Alerts if the burn rate of the error budget exceeds `factor` over both the long and the short window. */
export type Burn = {
  readonly severity: 'page' | 'ticket'
  readonly long: Window
  readonly short: Window
  readonly factor: number
}

/**
 * At these factors, one hour uses 2 % of the 30-day error budget, six hours use 5 %, and one day or three days use 10
 * %.
 */
export const burns: readonly Burn[] = [
  { severity: 'page', long: '1h', short: '5m', factor: 14.4 },
  { severity: 'page', long: '6h', short: '30m', factor: 6 },
  { severity: 'ticket', long: '1d', short: '2h', factor: 3 },
  { severity: 'ticket', long: '3d', short: '6h', factor: 1 },
]

export const ratioOf = (slo: string, window: Window) =>
  `reelkeep:slo_errors:rate${window}{slo="${slo}"} / reelkeep:slo_events:rate${window}{slo="${slo}"}`
