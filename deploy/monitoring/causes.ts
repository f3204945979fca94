/**
 * Alerts on causes that require action by an operator even before an SLO is missed. Each has a section in
 * docs/operations/runbook.md.
 */

export type Alert = {
  readonly name: string
  readonly severity: 'page' | 'ticket'
  readonly expression: string
  /** How long the condition must hold before the alert fires. */
  readonly lasts: string
  readonly summary: string
}

/** Queues with jobs whose results users wait for within seconds. */
const quick = 'queue=~"light|probe"'
const slow = 'queue=~"encode|extras"'

const queues = ['light', 'probe', 'encode', 'extras']

const storageUnavailable = 'reelkeep_storage_request_seconds_count{outcome="unavailable"}'
const anyWorker = 'sum(up{job="reelkeep-worker"}) > 0'

/** Age of the newest backup. If its machine is lost and no longer reports, the last value is used for a week. */
const backupAge = (kind: string) =>
  `time() - max by (kind) (max_over_time(reelkeep_backup_finished_at{kind="${kind}"}[7d]))`
/**
 * Finds backups that are too old. The database is backed up once a day, which may take two hours; later changes are in
 * the WAL. Files uploaded since the last storage backup exist nowhere else.
 */
const backupsOlderThan = (hours: { readonly database: number; readonly storage: number }) =>
  `${backupAge('database')} > ${hours.database} * 3600\nor ${backupAge('storage')} > ${hours.storage} * 3600`

/**
 * Selects the backup jobs of the chart, which write no metric files. Their age counts from the last success, or from
 * their creation if there was none, as reported by kube-state-metrics.
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

/** No WAL receiver is connected, its replication slot existed within the last day, and workers can query Postgres. */
const walNotReceived = [
  '(max(max_over_time(reelkeep_wal_receiver_connected[1d])) >= 0',
  'unless on () max(reelkeep_wal_receiver_connected) == 1)',
  'and on () count(reelkeep_upload_sessions_overdue_seconds) > 0',
].join('\n')

type Cause = Pick<Alert, 'expression' | 'summary'> & { readonly lasts?: string }

const page = (name: string, cause: Cause): Alert => ({
  ...{ name, severity: 'page', lasts: '0m', ...cause },
})
const ticket = (name: string, cause: Cause): Alert => ({ ...page(name, cause), severity: 'ticket' })

export const causes: readonly Alert[] = [
  page('ApiDown', {
    expression: 'absent(up{job="reelkeep-api"} == 1)',
    lasts: '1m',
    summary: 'No API instance is responding.',
  }),
  ticket('InstanceDown', {
    expression: 'up{job=~"reelkeep-.*"} == 0',
    lasts: '5m',
    summary: '{{ $labels.job }} on {{ $labels.instance }} is not responding.',
  }),
  page('NoWorkerForQueue', {
    expression: queues.map((queue) => `absent(reelkeep_worker_queues{queue="${queue}"})`).join('\nor '),
    lasts: '2m',
    summary: 'No worker processes the queue {{ $labels.queue }}.',
  }),
  page('DatabaseUnavailable', {
    expression: `${anyWorker} unless on () count(reelkeep_upload_sessions_overdue_seconds) > 0`,
    lasts: '2m',
    summary: 'Workers are running, but none of them can query Postgres.',
  }),
  page('DatabaseConnectionsExhausted', {
    expression: 'min_over_time(reelkeep_database_connections{state="waiting"}[5m]) > 0',
    lasts: '1m',
    summary: 'Queries on {{ $labels.instance }} have waited for a Postgres connection for five minutes.',
  }),
  page('StorageUnavailable', {
    expression: `sum(rate(${storageUnavailable}[5m])) / sum(rate(reelkeep_storage_request_seconds_count[5m])) > 0.2
and sum(increase(${storageUnavailable}[5m])) > 5`,
    lasts: '2m',
    summary: 'More than a fifth of the storage requests fail: storage does not respond or rejects the access key.',
  }),
  ticket('StorageSlow', {
    expression: `histogram_quantile(0.95, sum by (le) (rate(reelkeep_storage_request_seconds_bucket[10m]))) > 2.5
and sum(increase(reelkeep_storage_request_seconds_count[10m])) > 50`,
    lasts: '10m',
    summary: 'One in twenty storage requests takes longer than 2.5 seconds.',
  }),
  ticket('StorageNotificationsRefused', {
    expression: 'sum(increase(reelkeep_storage_events_total{outcome="refused"}[15m])) > 0',
    summary: 'Storage notifications are refused: wrong secret or wrong format.',
  }),
  ticket('StorageNotificationsMissing', {
    expression: `sum(increase(reelkeep_upload_sessions_ended_total{status="Completed",detected_by="sweep"}[1h]))
  / sum(increase(reelkeep_upload_sessions_ended_total{status="Completed"}[1h])) > 0.5
and sum(increase(reelkeep_upload_sessions_ended_total{status="Completed",detected_by="sweep"}[1h])) > 10
and on () sum(increase(reelkeep_storage_events_total{outcome="accepted"}[7d])) > 0`,
    lasts: '15m',
    summary: 'Most uploads are detected by the sweep: storage notifications do not arrive.',
  }),
  page('UploadSessionsOverdue', {
    expression: 'max(reelkeep_upload_sessions_overdue_seconds) > 120',
    lasts: '5m',
    summary: 'The upload sweep is not running: a session has been due for {{ $value | humanizeDuration }}.',
  }),
  page('JobsWaiting', {
    expression: `max by (queue) (reelkeep_jobs_waiting_seconds{${quick}}) > 60`,
    lasts: '5m',
    summary: 'Jobs in the queue {{ $labels.queue }} have been waiting for {{ $value | humanizeDuration }}.',
  }),
  ticket('JobsWaiting', {
    expression: `max by (queue) (reelkeep_jobs_waiting_seconds{${slow}}) > 900`,
    lasts: '15m',
    summary: 'Jobs in the queue {{ $labels.queue }} have been waiting for {{ $value | humanizeDuration }}.',
  }),
  ticket('JobsFailedPermanently', {
    // Prometheus renames our label `job`, because its own `job` is the scraped process.
    expression: 'sum by (exported_job) (increase(reelkeep_jobs_total{outcome="failed"}[30m])) > 0',
    summary: 'Jobs failed after all their attempts: {{ $labels.exported_job }}.',
  }),
  ticket('ProcessingFailing', {
    expression:
      'sum by (code) (increase(reelkeep_processing_failures_total{code=~"processing_.*|key_provider_failed"}[30m])) > 0',
    summary: 'Videos failed for a reason that is not in their files: {{ $labels.code }}.',
  }),
  ticket('WorkersCrashing', {
    expression: 'sum(increase(reelkeep_steps_reclaimed_total[1h])) > 3',
    summary: 'Steps are being reclaimed from workers without a heartbeat.',
  }),
  ticket('WorkerDiskFull', {
    expression: `sum by (instance) (increase(reelkeep_steps_postponed_total{reason="disk"}[15m])) > 0
or sum by (instance) (increase(reelkeep_disk_failures_total[15m])) > 0`,
    summary: 'The disk of the worker {{ $labels.instance }} is full or broken: it leaves its videos to other workers.',
  }),
  ticket('ScheduleFailing', {
    // Also fires for schedules that run once an hour and do not succeed within three hours.
    expression: `sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="failed"}[30m])) > 3
or (
  sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="failed"}[3h])) >= 2
  unless sum by (schedule) (increase(reelkeep_schedule_runs_total{outcome="done"}[3h])) > 0
)`,
    summary: 'The schedule {{ $labels.schedule }} fails repeatedly.',
  }),
  page('OrganizationSuspended', {
    expression: 'max(reelkeep_organizations_suspended_seconds) > 60',
    lasts: '1m',
    summary: 'An organization has been suspended for {{ $value | humanizeDuration }}: all its writes are refused.',
  }),
  ticket('BackupTooOld', {
    expression: backupsOlderThan({ database: 26, storage: 3 }),
    lasts: '10m',
    summary: 'The newest backup ({{ $labels.kind }}) is {{ $value | humanizeDuration }} old.',
  }),
  page('BackupTooOld', {
    expression: backupsOlderThan({ database: 50, storage: 26 }),
    lasts: '10m',
    summary: 'The newest backup ({{ $labels.kind }}) is {{ $value | humanizeDuration }} old.',
  }),
  ticket('BackupJobTooOld', {
    expression: backupJobOlderThan(3),
    lasts: '10m',
    summary: '{{ $labels.cronjob }} in {{ $labels.namespace }} has not succeeded for {{ $value | humanizeDuration }}.',
  }),
  page('BackupJobTooOld', {
    expression: backupJobOlderThan(26),
    lasts: '10m',
    summary: '{{ $labels.cronjob }} in {{ $labels.namespace }} has not succeeded for {{ $value | humanizeDuration }}.',
  }),
  page('WalNotReceived', {
    expression: walNotReceived,
    lasts: '5m',
    summary: 'receive-wal is not connected: WAL is not being backed up.',
  }),
  page('EventsUnsequenced', {
    expression: 'max(reelkeep_events_unsequenced_seconds) > 30',
    lasts: '5m',
    summary: 'An event has been unsequenced for {{ $value | humanizeDuration }}: no events are delivered.',
  }),
  ticket('StorageDamaged', {
    expression: 'max(reelkeep_damaged_files) > 0\nor sum(increase(reelkeep_scrub_damaged_files_total[6h])) > 0',
    lasts: '0m',
    summary: 'Storage has lost or damaged {{ $value }} published files.',
  }),
  page('StorageDamageWidespread', {
    expression: 'max(reelkeep_damaged_files) > 1000',
    lasts: '5m',
    summary: '{{ $value }} published files are damaged.',
  }),
  ticket('AuditUnsealed', {
    expression: 'max(reelkeep_audit_unsealed_seconds) > 60',
    lasts: '5m',
    summary: 'An audit entry has been unsealed for {{ $value | humanizeDuration }}.',
  }),
  ticket('AuditEntriesLost', {
    expression: 'sum(increase(reelkeep_audit_entries_lost_total{reason="unavailable"}[15m])) > 0',
    lasts: '0m',
    summary: '{{ $value | humanize }} audit entries of refusals or reads were lost.',
  }),
  page('WebhooksOverdue', {
    expression: 'max(reelkeep_webhooks_overdue_seconds) > 60',
    lasts: '5m',
    summary: 'A webhook with due deliveries has not been claimed for {{ $value | humanizeDuration }}.',
  }),
  ticket('WebhooksNotResponding', {
    expression: `sum(rate(reelkeep_webhook_attempts_total{outcome="no_response"}[15m])) / sum(rate(reelkeep_webhook_attempts_total[15m])) > 0.5
and sum(increase(reelkeep_webhook_attempts_total{outcome="no_response"}[15m])) > 20`,
    lasts: '10m',
    summary: 'Most webhook requests get no response. Check DNS and the internet access of the workers.',
  }),
  ticket('DispatchersFull', {
    expression: 'reelkeep_webhooks_claimed > 900',
    lasts: '10m',
    summary: 'The webhook dispatcher on {{ $labels.instance }} has nearly reached its limit of claimed webhooks.',
  }),
  ticket('EventLoopBlocked', {
    expression: 'nodejs_eventloop_lag_p99_seconds{job="reelkeep-api"} > 0.5',
    lasts: '10m',
    summary: 'The API on {{ $labels.instance }} is overloaded.',
  }),
  ticket('FileDescriptorsLow', {
    expression: 'process_open_fds{job=~"reelkeep-.*"} / process_max_fds{job=~"reelkeep-.*"} > 0.8',
    lasts: '5m',
    summary: '{{ $labels.instance }} has nearly reached its limit of open files and connections.',
  }),
]
