/** The rows of the dashboard for an operator on call: SLOs first, then possible causes. */
import { causes } from './causes.ts'
import { ratioOf, slos } from './slos.ts'

type Unit = 'percentunit' | 's' | 'short' | 'reqps' | 'bytes'

export type Panel = {
  readonly title: string
  readonly kind: 'stat' | 'lines' | 'alerts'
  readonly unit: Unit
  /** Each with its legend. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
  readonly help?: string
  /** For a stat: lower values are bad. */
  readonly badBelow?: number
  /** For a graph: the threshold of its alert. */
  readonly limit?: number
}

export type Row = { readonly title: string; readonly panels: readonly Panel[] }

const lines = (
  title: string,
  unit: Unit,
  queries: Panel['queries'],
  more: Pick<Panel, 'limit' | 'help'> = {},
): Panel => ({ title, kind: 'lines', unit, queries, ...more })

const quantile = (name: string, by: string, share: number) =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${name}_bucket[$__rate_interval])))`

const promises: Row = {
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
      queries: [[`ALERTS{alertstate="firing",alertname=~"${alertPattern()}"}`, '{{alertname}}']],
    },
    lines(
      'Burn rate of the error budget: above 1 it does not last thirty days',
      'short',
      slos.map(({ name, objective }) => [
        `(${ratioOf(name, '1h')}) / ${(1 - objective).toFixed(4)}`,
        name,
      ]),
      { limit: 1 },
    ),
  ],
}

function alertPattern(): string {
  return [...new Set([...slos.map(({ alert }) => alert), ...causes.map(({ name }) => name)])].join(
    '|',
  )
}

const http = 'reelkeep_http_requests_total'
const duration = 'reelkeep_http_request_duration_seconds'

const api: Row = {
  title: 'API',
  panels: [
    lines('Requests, by operation', 'reqps', [
      [`sum by (operation) (rate(${http}[$__rate_interval])) > 0`, '{{operation}}'],
    ]),
    lines('Server errors, by operation', 'reqps', [
      [
        `sum by (operation, status) (rate(${http}{status=~"5.."}[$__rate_interval])) > 0`,
        '{{operation}} {{status}}',
      ],
    ]),
    lines(
      '99th percentile, by operation',
      's',
      [[quantile(duration, 'operation', 0.99), '{{operation}}']],
      {
        limit: 0.5,
      },
    ),
    lines('In flight, and live streams', 'short', [
      ['sum by (instance) (reelkeep_http_requests_in_flight)', 'requests {{instance}}'],
      ['sum by (instance) (reelkeep_event_streams)', 'streams {{instance}}'],
    ]),
    lines(
      'Event loop lag',
      's',
      [['nodejs_eventloop_lag_p99_seconds{job=~"reelkeep-.*"}', '{{instance}}']],
      { limit: 0.5 },
    ),
    lines('Memory', 'bytes', [
      ['process_resident_memory_bytes{job=~"reelkeep-.*"}', '{{job}} {{instance}}'],
    ]),
  ],
}

const uploads: Row = {
  title: 'Uploads',
  panels: [
    lines('Ended sessions, by detection', 'reqps', [
      [
        'sum by (status, detected_by) (rate(reelkeep_upload_sessions_ended_total[$__rate_interval]))',
        '{{status}} {{detected_by}}',
      ],
    ]),
    lines(
      'Time to detection, 95th percentile',
      's',
      [[quantile('reelkeep_upload_detected_seconds', 'detected_by', 0.95), '{{detected_by}}']],
      { limit: 30 },
    ),
    lines(
      'Longest overdue check',
      's',
      [['max(reelkeep_upload_sessions_overdue_seconds)', 'overdue']],
      {
        limit: 120,
      },
    ),
    lines('Storage notifications', 'reqps', [
      ['sum by (outcome) (rate(reelkeep_storage_events_total[$__rate_interval]))', '{{outcome}}'],
    ]),
    lines('Sweep checks', 'reqps', [
      ['sum by (outcome) (rate(reelkeep_upload_checks_total[$__rate_interval]))', '{{outcome}}'],
    ]),
  ],
}

const processing: Row = {
  title: 'Processing',
  panels: [
    lines(
      'Time to playable',
      's',
      [
        [quantile('reelkeep_time_to_playable_seconds', '', 0.5), 'half'],
        [quantile('reelkeep_time_to_playable_seconds', '', 0.95), '95th percentile'],
      ],
      { limit: 120 },
    ),
    lines('Waiting and running jobs (counted up to 1,000)', 'short', [
      ['max by (queue) (reelkeep_jobs_open)', '{{queue}}'],
    ]),
    lines('Oldest waiting job', 's', [
      ['max by (queue) (reelkeep_jobs_waiting_seconds)', '{{queue}}'],
    ]),
    lines('Workers, by queue', 'short', [['sum by (queue) (reelkeep_worker_queues)', '{{queue}}']]),
    lines('Duration of step attempts', 's', [
      [quantile('reelkeep_step_seconds', 'step', 0.95), '{{step}}'],
    ]),
    lines('Step attempts, by outcome', 'reqps', [
      [
        'sum by (step, outcome) (rate(reelkeep_step_seconds_count[$__rate_interval]))',
        '{{step}} {{outcome}}',
      ],
    ]),
    lines('Failed videos and jobs', 'short', [
      ['sum by (code) (increase(reelkeep_processing_failures_total[1h]))', 'videos {{code}}'],
      [
        'sum by (exported_job) (increase(reelkeep_jobs_total{outcome="failed"}[1h]))',
        'jobs {{exported_job}}',
      ],
    ]),
    lines('Reclaimed steps, failed schedules', 'short', [
      ['sum(increase(reelkeep_steps_reclaimed_total[1h]))', 'taken over'],
      [
        'sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="failed"}[1h]))',
        '{{schedule}}',
      ],
    ]),
  ],
}

const organizations: Row = {
  title: 'Suspended and migrated organizations',
  panels: [
    lines('Suspended, and migrated to another cell', 'short', [
      ['max by (state) (reelkeep_organizations_suspended)', '{{state}}'],
    ]),
    lines(
      'Longest suspension',
      's',
      [['max(reelkeep_organizations_suspended_seconds)', 'suspended']],
      {
        limit: 60,
      },
    ),
  ],
}

const delivery: Row = {
  title: 'Playback',
  panels: [
    lines('Responses, by kind', 'reqps', [
      ['sum by (kind) (rate(reelkeep_playback_responses_total[$__rate_interval])) > 0', '{{kind}}'],
    ]),
    lines('Server errors', 'reqps', [
      [
        'sum by (kind, status) (rate(reelkeep_playback_responses_total{status=~"5.."}[$__rate_interval])) > 0',
        '{{kind}} {{status}}',
      ],
    ]),
    lines('Time to the start of a response, 99th percentile', 's', [
      [
        `histogram_quantile(0.99, sum by (le) (rate(${duration}_bucket{operation="play"}[$__rate_interval])))`,
        'play',
      ],
    ]),
  ],
}

const events: Row = {
  title: 'Events and webhooks',
  panels: [
    lines(
      'Longest waits',
      's',
      [
        ['max(reelkeep_events_unsequenced_seconds)', 'unsequenced event'],
        ['max(reelkeep_webhooks_overdue_seconds)', 'due webhook'],
      ],
      { limit: 30 },
    ),
    lines('Webhook requests', 'reqps', [
      ['sum by (outcome) (rate(reelkeep_webhook_attempts_total[$__rate_interval]))', '{{outcome}}'],
    ]),
    lines('From an event to its delivery', 's', [
      [quantile('reelkeep_webhook_delay_seconds', '', 0.5), 'half'],
      [quantile('reelkeep_webhook_delay_seconds', '', 0.95), '95th percentile'],
    ]),
    lines('Given up, disabled, claimed', 'short', [
      ['sum(increase(reelkeep_webhook_deliveries_failed_total[1h]))', 'given up'],
      ['sum by (because) (increase(reelkeep_webhooks_disabled_total[1h]))', 'disabled {{because}}'],
      ['sum by (instance) (reelkeep_webhooks_claimed)', 'claimed {{instance}}'],
    ]),
  ],
}

const servers: Row = {
  title: 'Postgres and storage',
  panels: [
    lines('Postgres connections, and work waiting for one', 'short', [
      ['sum by (instance, state) (reelkeep_database_connections)', '{{instance}} {{state}}'],
    ]),
    lines(
      'Age of the newest backups',
      's',
      [['time() - max by (kind) (reelkeep_backup_finished_at)', '{{kind}}']],
      {
        limit: 26 * 3600,
        help: 'Reported by the scripts of deploy/backup through a node exporter.',
      },
    ),
    lines('Storage requests, by outcome', 'reqps', [
      [
        'sum by (outcome) (rate(reelkeep_storage_request_seconds_count[$__rate_interval]))',
        '{{outcome}}',
      ],
    ]),
    lines(
      'Storage requests, 95th percentile',
      's',
      [[quantile('reelkeep_storage_request_seconds', 'operation', 0.95), '{{operation}}']],
      { limit: 2.5 },
    ),
  ],
}

export const rows: readonly Row[] = [
  promises,
  api,
  uploads,
  processing,
  delivery,
  events,
  servers,
  organizations,
]
