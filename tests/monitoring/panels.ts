/**
 * What the dashboard shows, row by row, for somebody who has been woken: first whether promises are
 * kept, then what may be the cause.
 */
import { causes } from './causes.ts'
import { ratioOf, slos } from './slos.ts'

type Unit = 'percentunit' | 's' | 'short' | 'reqps' | 'bytes'

export type Panel = {
  readonly title: string
  readonly kind: 'stat' | 'lines' | 'alerts'
  readonly unit: Unit
  /** Shown with its legend. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
  readonly help?: string
  /** Of a stat: below it is bad. */
  readonly badBelow?: number
  /** Of lines: where an alert draws the line. */
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
  title: 'Promises, over the last six hours (docs/operations/slos.md)',
  panels: [
    ...slos.map(
      ({ name, title, objective, summary }): Panel => ({
        title,
        kind: 'stat',
        unit: 'percentunit',
        queries: [[`1 - (${ratioOf(name, '6h')})`, name]],
        badBelow: objective,
        help: `Promised: ${objective * 100} %. ${summary}`,
      }),
    ),
    {
      title: 'Alerts that fire now: their runbook is docs/operations/runbook.md',
      kind: 'alerts',
      unit: 'short',
      queries: [[`ALERTS{alertstate="firing",alertname=~"${alertPattern()}"}`, '{{alertname}}']],
    },
    lines(
      'How fast the budget burns: above 1 it does not last thirty days',
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
    lines('Faults of ours, by operation', 'reqps', [
      [
        `sum by (operation, status) (rate(${http}{status=~"5.."}[$__rate_interval])) > 0`,
        '{{operation}} {{status}}',
      ],
    ]),
    lines(
      'Slowest of a hundred, by operation',
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
      'Event loop: how late it is',
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
    lines('Sessions that ended, by what noticed it', 'reqps', [
      [
        'sum by (status, noticed_by) (rate(reelkeep_upload_sessions_ended_total[$__rate_interval]))',
        '{{status}} {{noticed_by}}',
      ],
    ]),
    lines(
      'Until noticed, the slowest of twenty',
      's',
      [[quantile('reelkeep_upload_noticed_seconds', 'noticed_by', 0.95), '{{noticed_by}}']],
      { limit: 30 },
    ),
    lines('Longest due look', 's', [['max(reelkeep_upload_sessions_overdue_seconds)', 'overdue']], {
      limit: 120,
    }),
    lines('Notifications of storage', 'reqps', [
      ['sum by (outcome) (rate(reelkeep_storage_events_total[$__rate_interval]))', '{{outcome}}'],
    ]),
    lines('Looks of the sweep', 'reqps', [
      ['sum by (outcome) (rate(reelkeep_upload_looks_total[$__rate_interval]))', '{{outcome}}'],
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
        [quantile('reelkeep_time_to_playable_seconds', '', 0.95), 'nineteen of twenty'],
      ],
      { limit: 120 },
    ),
    lines('Jobs that wait or run (up to 1,000 are counted)', 'short', [
      ['max by (queue) (reelkeep_jobs_open)', '{{queue}}'],
    ]),
    lines('Oldest job that waits', 's', [
      ['max by (queue) (reelkeep_jobs_waiting_seconds)', '{{queue}}'],
    ]),
    lines('Workers, by queue', 'short', [['sum by (queue) (reelkeep_worker_queues)', '{{queue}}']]),
    lines('Steps: how long attempts took', 's', [
      [quantile('reelkeep_step_seconds', 'step', 0.95), '{{step}}'],
    ]),
    lines('Attempts at steps, by how they ended', 'reqps', [
      [
        'sum by (step, outcome) (rate(reelkeep_step_seconds_count[$__rate_interval]))',
        '{{step}} {{outcome}}',
      ],
    ]),
    lines('Failed: videos, and jobs for good', 'short', [
      ['sum by (code) (increase(reelkeep_processing_failures_total[1h]))', 'videos {{code}}'],
      [
        'sum by (exported_job) (increase(reelkeep_jobs_total{outcome="failed"}[1h]))',
        'jobs {{exported_job}}',
      ],
    ]),
    lines('Steps taken over, schedules that failed', 'short', [
      ['sum(increase(reelkeep_steps_taken_over_total[1h]))', 'taken over'],
      [
        'sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="failed"}[1h]))',
        '{{schedule}}',
      ],
    ]),
  ],
}

const organizations: Row = {
  title: 'Organizations that are held or have moved',
  panels: [
    lines('Held, and gone to another cell', 'short', [
      ['max by (state) (reelkeep_organizations_held)', '{{state}}'],
    ]),
    lines('Longest hold', 's', [['max(reelkeep_organizations_held_seconds)', 'held']], {
      limit: 60,
    }),
  ],
}

const delivery: Row = {
  title: 'Delivery to viewers',
  panels: [
    lines('Answers, by what was asked for', 'reqps', [
      ['sum by (kind) (rate(reelkeep_playback_answers_total[$__rate_interval])) > 0', '{{kind}}'],
    ]),
    lines('Faults of ours', 'reqps', [
      [
        'sum by (kind, status) (rate(reelkeep_playback_answers_total{status=~"5.."}[$__rate_interval])) > 0',
        '{{kind}} {{status}}',
      ],
    ]),
    lines('Until an answer begins, the slowest of a hundred', 's', [
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
        ['max(reelkeep_events_unnumbered_seconds)', 'an event for its number'],
        ['max(reelkeep_webhooks_overdue_seconds)', 'a webhook that is due'],
      ],
      { limit: 30 },
    ),
    lines('Requests to webhooks', 'reqps', [
      ['sum by (outcome) (rate(reelkeep_webhook_attempts_total[$__rate_interval]))', '{{outcome}}'],
    ]),
    lines('From an event until it is confirmed', 's', [
      [quantile('reelkeep_webhook_delay_seconds', '', 0.5), 'half'],
      [quantile('reelkeep_webhook_delay_seconds', '', 0.95), 'nineteen of twenty'],
    ]),
    lines('Given up, disabled, in hand', 'short', [
      ['sum(increase(reelkeep_webhook_deliveries_failed_total[1h]))', 'given up'],
      ['sum by (because) (increase(reelkeep_webhooks_disabled_total[1h]))', 'disabled {{because}}'],
      ['sum by (instance) (reelkeep_webhooks_in_hand)', 'in hand {{instance}}'],
    ]),
  ],
}

const servers: Row = {
  title: 'Postgres and storage',
  panels: [
    lines('Connections to Postgres, and work that waits for one', 'short', [
      ['sum by (instance, state) (reelkeep_database_connections)', '{{instance}} {{state}}'],
    ]),
    lines(
      'Newest backups: how old they are',
      's',
      [['time() - max by (kind) (reelkeep_backup_finished_at)', '{{kind}}']],
      {
        limit: 26 * 3600,
        help: 'Told by the scripts of deploy/backup, by way of a node exporter.',
      },
    ),
    lines('Storage: what came of questions', 'reqps', [
      [
        'sum by (outcome) (rate(reelkeep_storage_request_seconds_count[$__rate_interval]))',
        '{{outcome}}',
      ],
    ]),
    lines(
      'Storage: slowest of twenty',
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
