/** The rows of the dashboard for an operator on call: SLOs first, then possible causes. */
import { alertNames } from './rules.ts'
import { ratioOf, slos } from './slos.ts'

type Unit = 'percentunit' | 's' | 'short' | 'reqps' | 'bytes'

export type Panel = {
  readonly title: string
  readonly kind: 'stat' | 'lines' | 'alerts'
  readonly unit: Unit
  /** PromQL expressions with their legends. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
  readonly help?: string
  /** Objective of a stat; lower values are bad. */
  readonly badBelow?: number
  /** Threshold of the alert of a graph. */
  readonly limit?: number
}

export type Row = { readonly title: string; readonly panels: readonly Panel[] }

/** Queries by their legend. */
type Queries = Readonly<Record<string, string>>
type GraphOptions = Pick<Panel, 'unit' | 'limit' | 'help'>

const lines = (title: string, options: Unit | GraphOptions, queries: Queries): Panel => ({
  title,
  kind: 'lines',
  ...(typeof options === 'string' ? { unit: options } : options),
  queries: Object.entries(queries).map(([legend, expression]) => [expression, legend]),
})

const quantile = (name: string, by: string, share: number) =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${name}_bucket[$__rate_interval])))`

const objectives: Row = {
  title: 'SLOs, over the last six hours (docs/operations/slos.md)',
  panels: [
    ...slos.map(
      ({ name, title, objective, summary }): Panel => ({
        title,
        kind: 'stat',
        unit: 'percentunit',
        queries: [[`1 - (${ratioOf(name, '6h')})`, name]],
        badBelow: objective,
        help: `Objective: ${objective * 100} %. ${summary}`,
      }),
    ),
    {
      title: 'Firing alerts (runbook: docs/operations/runbook.md)',
      kind: 'alerts',
      unit: 'short',
      queries: [[`ALERTS{alertstate="firing",alertname=~"${alertNames().join('|')}"}`, '{{alertname}}']],
    },
    lines(
      'Burn rate of the error budget: above 1 it does not last thirty days',
      { unit: 'short', limit: 1 },
      Object.fromEntries(
        slos.map(({ name, objective }) => [name, `(${ratioOf(name, '1h')}) / ${(1 - objective).toFixed(4)}`]),
      ),
    ),
  ],
}

const http = 'reelkeep_http_requests_total'
const duration = 'reelkeep_http_request_duration_seconds'

const api: Row = {
  title: 'API',
  panels: [
    lines('Requests, by operation', 'reqps', {
      '{{operation}}': `sum by (operation) (rate(${http}[$__rate_interval])) > 0`,
    }),
    lines('Server errors, by operation', 'reqps', {
      '{{operation}} {{status}}': `sum by (operation, status) (rate(${http}{status=~"5.."}[$__rate_interval])) > 0`,
    }),
    lines(
      '99th percentile, by operation',
      { unit: 's', limit: 0.5 },
      {
        '{{operation}}': quantile(duration, 'operation', 0.99),
      },
    ),
    lines('In flight, and live streams', 'short', {
      'requests {{instance}}': 'sum by (instance) (reelkeep_http_requests_in_flight)',
      'streams {{instance}}': 'sum by (instance) (reelkeep_event_streams)',
    }),
    lines(
      'Event loop lag',
      { unit: 's', limit: 0.5 },
      {
        '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{job=~"reelkeep-.*"}',
      },
    ),
    lines('Memory', 'bytes', {
      '{{job}} {{instance}}': 'process_resident_memory_bytes{job=~"reelkeep-.*"}',
    }),
  ],
}

const uploads: Row = {
  title: 'Uploads',
  panels: [
    lines('Ended sessions, by detection', 'reqps', {
      '{{status}} {{detected_by}}':
        'sum by (status, detected_by) (rate(reelkeep_upload_sessions_ended_total[$__rate_interval]))',
    }),
    lines(
      'Time to detection, 95th percentile',
      { unit: 's', limit: 30 },
      {
        '{{detected_by}}': quantile('reelkeep_upload_detected_seconds', 'detected_by', 0.95),
      },
    ),
    lines(
      'Longest overdue check',
      { unit: 's', limit: 120 },
      {
        overdue: 'max(reelkeep_upload_sessions_overdue_seconds)',
      },
    ),
    lines('Storage notifications', 'reqps', {
      '{{outcome}}': 'sum by (outcome) (rate(reelkeep_storage_events_total[$__rate_interval]))',
    }),
    lines('Sweep checks', 'reqps', {
      '{{outcome}}': 'sum by (outcome) (rate(reelkeep_upload_checks_total[$__rate_interval]))',
    }),
  ],
}

const processing: Row = {
  title: 'Processing',
  panels: [
    lines(
      'Time to playable',
      { unit: 's', limit: 120 },
      {
        half: quantile('reelkeep_time_to_playable_seconds', '', 0.5),
        '95th percentile': quantile('reelkeep_time_to_playable_seconds', '', 0.95),
      },
    ),
    lines('Waiting and running jobs (counted up to 1,000)', 'short', {
      '{{queue}}': 'max by (queue) (reelkeep_jobs_open)',
    }),
    lines('Oldest waiting job', 's', {
      '{{queue}}': 'max by (queue) (reelkeep_jobs_waiting_seconds)',
    }),
    lines('Workers, by queue', 'short', {
      '{{queue}}': 'sum by (queue) (reelkeep_worker_queues)',
    }),
    lines('Duration of step attempts', 's', {
      '{{step}}': quantile('reelkeep_step_seconds', 'step', 0.95),
    }),
    lines('Step attempts, by outcome', 'reqps', {
      '{{step}} {{outcome}}': 'sum by (step, outcome) (rate(reelkeep_step_seconds_count[$__rate_interval]))',
    }),
    lines('Failed videos and jobs', 'short', {
      'videos {{code}}': 'sum by (code) (increase(reelkeep_processing_failures_total[1h]))',
      'jobs {{exported_job}}': 'sum by (exported_job) (increase(reelkeep_jobs_total{outcome="failed"}[1h]))',
    }),
    lines('Reclaimed steps, failed schedules', 'short', {
      reclaimed: 'sum(increase(reelkeep_steps_reclaimed_total[1h]))',
      '{{schedule}}': 'sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="failed"}[1h]))',
    }),
  ],
}

const organizations: Row = {
  title: 'Suspended and moved organizations',
  panels: [
    lines('Suspended, and moved to another cell', 'short', {
      '{{state}}': 'max by (state) (reelkeep_organizations_suspended)',
    }),
    lines(
      'Longest suspension',
      { unit: 's', limit: 60 },
      {
        suspended: 'max(reelkeep_organizations_suspended_seconds)',
      },
    ),
  ],
}

const delivery: Row = {
  title: 'Playback',
  panels: [
    lines('Responses, by kind', 'reqps', {
      '{{kind}}': 'sum by (kind) (rate(reelkeep_playback_responses_total[$__rate_interval])) > 0',
    }),
    lines('Server errors', 'reqps', {
      '{{kind}} {{status}}':
        'sum by (kind, status) (rate(reelkeep_playback_responses_total{status=~"5.."}[$__rate_interval])) > 0',
    }),
    lines('Time to the start of a response, 99th percentile', 's', {
      play: `histogram_quantile(0.99, sum by (le) (rate(${duration}_bucket{operation="play"}[$__rate_interval])))`,
    }),
  ],
}

const events: Row = {
  title: 'Events and webhooks',
  panels: [
    lines(
      'Longest waits',
      { unit: 's', limit: 30 },
      {
        'unsequenced event': 'max(reelkeep_events_unsequenced_seconds)',
        'due webhook': 'max(reelkeep_webhooks_overdue_seconds)',
      },
    ),
    lines('Webhook requests', 'reqps', {
      '{{outcome}}': 'sum by (outcome) (rate(reelkeep_webhook_attempts_total[$__rate_interval]))',
    }),
    lines('From an event to its delivery', 's', {
      half: quantile('reelkeep_webhook_delay_seconds', '', 0.5),
      '95th percentile': quantile('reelkeep_webhook_delay_seconds', '', 0.95),
    }),
    lines('Failed, disabled, claimed', 'short', {
      failed: 'sum(increase(reelkeep_webhook_deliveries_failed_total[1h]))',
      'disabled {{because}}': 'sum by (because) (increase(reelkeep_webhooks_disabled_total[1h]))',
      'claimed {{instance}}': 'sum by (instance) (reelkeep_webhooks_claimed)',
    }),
  ],
}

const servers: Row = {
  title: 'Postgres and storage',
  panels: [
    lines('Postgres connections, and work waiting for one', 'short', {
      '{{instance}} {{state}}': 'sum by (instance, state) (reelkeep_database_connections)',
    }),
    lines(
      'Age of the newest backups',
      {
        unit: 's',
        limit: 26 * 3600,
        help: 'Reported by the scripts of deploy/backup through a node exporter.',
      },
      {
        '{{kind}}': 'time() - max by (kind) (reelkeep_backup_finished_at)',
      },
    ),
    lines('Storage requests, by outcome', 'reqps', {
      '{{outcome}}': 'sum by (outcome) (rate(reelkeep_storage_request_seconds_count[$__rate_interval]))',
    }),
    lines(
      'Storage requests, 95th percentile',
      { unit: 's', limit: 2.5 },
      {
        '{{operation}}': quantile('reelkeep_storage_request_seconds', 'operation', 0.95),
      },
    ),
  ],
}

export const rows: readonly Row[] = [objectives, api, uploads, processing, delivery, events, servers, organizations]
