/** What an operator must act on, whatever the promises say yet: each has a section of docs/operations/runbook.md. */

export type Alert = {
  readonly name: string
  readonly severity: 'page' | 'ticket'
  readonly expression: string
  /** How long it must hold. */
  readonly lasts: string
  readonly summary: string
}

/** Of these, others wait for the outcome within seconds. */
const quick = 'queue=~"light|probe"'
const slow = 'queue=~"encode|extras"'

const queues = ['light', 'probe', 'encode', 'extras']

const storageAway = 'reelkeep_storage_request_seconds_count{outcome="away"}'
const anyWorker = 'sum(up{job="reelkeep-worker"}) > 0'

/** Of one that is no longer told of, because its machine is gone, the last word counts for a week. */
const backupAge = (kind: string) =>
  `time() - max by (kind) (max_over_time(reelkeep_backup_finished_at{kind="${kind}"}[7d]))`
/**
 * The database is copied once a day, which may take two hours; what was written since is elsewhere.
 * Files since the last pass over storage are nowhere else.
 */
const backupsOlderThan = (hours: { readonly database: number; readonly storage: number }) =>
  `${backupAge('database')} > ${hours.database} * 3600\nor ${backupAge('storage')} > ${hours.storage} * 3600`

/**
 * Of the chart, whose jobs leave no files: since its last success, or since it was made if there
 * was none. kube-state-metrics tells.
 */
const BACKUP_JOB = 'cronjob=~".+-backup-storage"'
const backupJobOlderThan = (hours: number) => {
  const newest = (metric: string) => `max by (namespace, cronjob) (${metric}{${BACKUP_JOB}})`
  const succeeded = newest('kube_cronjob_status_last_successful_time')
  return [
    `time() - ${succeeded} > ${hours} * 3600`,
    `or (time() - ${newest('kube_cronjob_created')} > ${hours} * 3600`,
    `unless ${succeeded})`,
  ].join('\n')
}

/** For those who had a receiver today, and whose workers can ask Postgres whether it is there. */
const walNotReceived = [
  '(max(max_over_time(reelkeep_wal_receiver_connected[1d])) >= 0',
  'unless on () max(reelkeep_wal_receiver_connected) == 1)',
  'and on () count(reelkeep_upload_sessions_overdue_seconds) > 0',
].join('\n')

export const causes: readonly Alert[] = [
  {
    name: 'ApiDown',
    severity: 'page',
    expression: 'absent(up{job="reelkeep-api"} == 1)',
    lasts: '1m',
    summary: 'No instance of the API answers.',
  },
  {
    name: 'InstanceDown',
    severity: 'ticket',
    expression: 'up{job=~"reelkeep-.*"} == 0',
    lasts: '5m',
    summary: '{{ $labels.job }} on {{ $labels.instance }} does not answer.',
  },
  {
    name: 'NoWorkerForQueue',
    severity: 'page',
    expression: queues
      .map((queue) => `absent(reelkeep_worker_queues{queue="${queue}"})`)
      .join('\nor '),
    lasts: '2m',
    summary: 'No worker takes jobs from the queue {{ $labels.queue }}.',
  },
  {
    name: 'DatabaseAway',
    severity: 'page',
    expression: `${anyWorker} unless on () count(reelkeep_upload_sessions_overdue_seconds) > 0`,
    lasts: '2m',
    summary: 'Workers run, and none of them can ask Postgres.',
  },
  {
    name: 'DatabaseConnectionsExhausted',
    severity: 'page',
    expression: 'min_over_time(reelkeep_database_connections{state="waiting"}[5m]) > 0',
    lasts: '1m',
    summary:
      'Work on {{ $labels.instance }} has waited for a connection to Postgres for five minutes.',
  },
  {
    name: 'StorageAway',
    severity: 'page',
    expression: `sum(rate(${storageAway}[5m])) / sum(rate(reelkeep_storage_request_seconds_count[5m])) > 0.2
and sum(increase(${storageAway}[5m])) > 5`,
    lasts: '2m',
    summary: 'Storage does not answer, or refuses our key: more than a fifth of what it is asked.',
  },
  {
    name: 'StorageSlow',
    severity: 'ticket',
    expression: `histogram_quantile(0.95, sum by (le) (rate(reelkeep_storage_request_seconds_bucket[10m]))) > 2.5
and sum(increase(reelkeep_storage_request_seconds_count[10m])) > 50`,
    lasts: '10m',
    summary: 'One in twenty questions to storage takes longer than two and a half seconds.',
  },
  {
    name: 'StorageNotificationsRefused',
    severity: 'ticket',
    expression: 'sum(increase(reelkeep_storage_events_total{outcome="refused"}[15m])) > 0',
    lasts: '0m',
    summary:
      'Notifications to the operations port are refused: their secret or their form is not ours.',
  },
  {
    name: 'StorageNotificationsMissing',
    severity: 'ticket',
    expression: `sum(increase(reelkeep_upload_sessions_ended_total{status="Completed",noticed_by="sweep"}[1h]))
  / sum(increase(reelkeep_upload_sessions_ended_total{status="Completed"}[1h])) > 0.5
and sum(increase(reelkeep_upload_sessions_ended_total{status="Completed",noticed_by="sweep"}[1h])) > 10
and on () sum(increase(reelkeep_storage_events_total{outcome="taken"}[7d])) > 0`,
    lasts: '15m',
    summary: 'Most uploads are found by looking: notifications of storage do not arrive.',
  },
  {
    name: 'UploadSessionsOverdue',
    severity: 'page',
    expression: 'max(reelkeep_upload_sessions_overdue_seconds) > 120',
    lasts: '5m',
    summary:
      'Nobody looks for uploaded files: a session has been due for {{ $value | humanizeDuration }}.',
  },
  {
    name: 'JobsWaiting',
    severity: 'page',
    expression: `max by (queue) (reelkeep_jobs_waiting_seconds{${quick}}) > 60`,
    lasts: '5m',
    summary: 'Jobs of the queue {{ $labels.queue }} wait for {{ $value | humanizeDuration }}.',
  },
  {
    name: 'JobsWaiting',
    severity: 'ticket',
    expression: `max by (queue) (reelkeep_jobs_waiting_seconds{${slow}}) > 900`,
    lasts: '15m',
    summary: 'Jobs of the queue {{ $labels.queue }} wait for {{ $value | humanizeDuration }}.',
  },
  {
    name: 'JobsFailedForGood',
    severity: 'ticket',
    // Prometheus calls a label `job` of ours so: its own says which process was asked.
    expression: 'sum by (exported_job) (increase(reelkeep_jobs_total{outcome="failed"}[30m])) > 0',
    lasts: '0m',
    summary: 'Jobs have failed as often as they may: {{ $labels.exported_job }}.',
  },
  {
    name: 'ProcessingFails',
    severity: 'ticket',
    expression:
      'sum by (code) (increase(reelkeep_processing_failures_total{code=~"processing_.*|key_provider_failed"}[30m])) > 0',
    lasts: '0m',
    summary: 'Videos failed for a reason that is not in their files: {{ $labels.code }}.',
  },
  {
    name: 'WorkersDie',
    severity: 'ticket',
    expression: 'sum(increase(reelkeep_steps_taken_over_total[1h])) > 3',
    lasts: '0m',
    summary: 'Steps are taken over from workers that fell silent.',
  },
  {
    name: 'ScheduleFails',
    severity: 'ticket',
    // Of some the turn comes once an hour: they can fail no more often, and must go well once in three.
    expression: `sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="failed"}[30m])) > 3
or (
  sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="failed"}[3h])) >= 2
  unless sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="done"}[3h])) > 0
)`,
    lasts: '0m',
    summary: 'The schedule {{ $labels.schedule }} fails again and again.',
  },
  {
    name: 'OrganizationHeld',
    severity: 'page',
    expression: 'max(reelkeep_organizations_held_seconds) > 60',
    lasts: '1m',
    summary:
      'An organization has been held for {{ $value | humanizeDuration }}: all that it writes is refused.',
  },
  {
    name: 'BackupTooOld',
    severity: 'ticket',
    expression: backupsOlderThan({ database: 26, storage: 3 }),
    lasts: '10m',
    summary: 'The newest backup ({{ $labels.kind }}) is {{ $value | humanizeDuration }} old.',
  },
  {
    name: 'BackupTooOld',
    severity: 'page',
    expression: backupsOlderThan({ database: 50, storage: 26 }),
    lasts: '10m',
    summary: 'The newest backup ({{ $labels.kind }}) is {{ $value | humanizeDuration }} old.',
  },
  {
    name: 'BackupJobTooOld',
    severity: 'ticket',
    expression: backupJobOlderThan(3),
    lasts: '10m',
    summary:
      '{{ $labels.cronjob }} in {{ $labels.namespace }} has copied nothing for {{ $value | humanizeDuration }}.',
  },
  {
    name: 'BackupJobTooOld',
    severity: 'page',
    expression: backupJobOlderThan(26),
    lasts: '10m',
    summary:
      '{{ $labels.cronjob }} in {{ $labels.namespace }} has copied nothing for {{ $value | humanizeDuration }}.',
  },
  {
    name: 'WalNotReceived',
    severity: 'page',
    expression: walNotReceived,
    lasts: '5m',
    summary: 'Nobody takes what Postgres writes: receive-wal is gone.',
  },
  {
    name: 'EventsUnnumbered',
    severity: 'page',
    expression: 'max(reelkeep_events_unnumbered_seconds) > 30',
    lasts: '5m',
    summary:
      'An event has waited for its number for {{ $value | humanizeDuration }}: nobody is told anything.',
  },
  {
    name: 'WebhooksOverdue',
    severity: 'page',
    expression: 'max(reelkeep_webhooks_overdue_seconds) > 60',
    lasts: '5m',
    summary:
      'A webhook has been left alone for {{ $value | humanizeDuration }} although something is due to it.',
  },
  {
    name: 'WebhooksSilent',
    severity: 'ticket',
    expression: `sum(rate(reelkeep_webhook_attempts_total{outcome="silent"}[15m])) / sum(rate(reelkeep_webhook_attempts_total[15m])) > 0.5
and sum(increase(reelkeep_webhook_attempts_total{outcome="silent"}[15m])) > 20`,
    lasts: '10m',
    summary: 'Most requests to webhooks get no answer: that is rarely the fault of all receivers.',
  },
  {
    name: 'CouriersFull',
    severity: 'ticket',
    expression: 'reelkeep_webhooks_in_hand > 900',
    lasts: '10m',
    summary: 'The courier on {{ $labels.instance }} has nearly as many webhooks in hand as it may.',
  },
  {
    name: 'EventLoopBlocked',
    severity: 'ticket',
    expression: 'nodejs_eventloop_lag_p99_seconds{job="reelkeep-api"} > 0.5',
    lasts: '10m',
    summary: 'The API on {{ $labels.instance }} has more to do than it can.',
  },
  {
    name: 'FileDescriptorsShort',
    severity: 'ticket',
    expression: 'process_open_fds{job=~"reelkeep-.*"} / process_max_fds{job=~"reelkeep-.*"} > 0.8',
    lasts: '5m',
    summary: '{{ $labels.instance }} has nearly as many files and connections open as it may.',
  },
]
