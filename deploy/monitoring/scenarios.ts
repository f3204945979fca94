/**
 * Two hours of samples, a minute apart, in the notation of Prometheus' unit tests, and the alerts they must trigger.
 */

/** `0+10x120` is 0, 10, 20 …; `5x120` is always 5. */
type Series = Readonly<Record<string, string>>

const always = (value: number) => `${value}x120`
const growing = (perMinute: number) => `0+${perMinute}x120`

const list = 'operation="listFolders"'
const duration = 'reelkeep_http_request_duration_seconds'
const storage = (outcome: string) =>
  `reelkeep_storage_request_seconds_count{operation="PutObject",outcome="${outcome}"}`
const storageWithin = (le: string) =>
  `reelkeep_storage_request_seconds_bucket{operation="PutObject",outcome="fine",le="${le}"}`
const ended = (by: string) =>
  `reelkeep_upload_sessions_ended_total{status="Completed",detected_by="${by}"}`
const takes = (queue: string) => `reelkeep_worker_queues{job="reelkeep-worker",queue="${queue}"}`
const waits = (queue: string) => `reelkeep_jobs_waiting_seconds{queue="${queue}"}`
const answers = (status: number) =>
  `reelkeep_playback_responses_total{kind="object",status="${status}"}`
const requests = (status: number) => `reelkeep_http_requests_total{${list},status="${status}"}`
const attempts = (outcome: string) => `reelkeep_webhook_attempts_total{outcome="${outcome}"}`
const runs = (schedule: string, outcome: string) =>
  `reelkeep_schedule_runs_total{schedule="${schedule}",outcome="${outcome}"}`
const backup = (kind: string) => `reelkeep_backup_finished_at{kind="${kind}"}`
/** At the start of the scenario, which is midnight, January 1, 1970. */
const hoursOld = (hours: number) => always(-hours * 3600)
const backupJob = (metric: string) =>
  `kube_cronjob_${metric}{namespace="video",cronjob="reelkeep-backup-storage"}`
const succeeded = backupJob('status_last_successful_time')
const api = 'job="reelkeep-api",instance="a:8081"'
const worker = 'job="reelkeep-worker",instance="b:8082"'

export const healthy: Series = {
  [`up{${api}}`]: always(1),
  [`up{${worker}}`]: always(1),
  [takes('light')]: always(1),
  [takes('probe')]: always(1),
  [takes('encode')]: always(1),
  [takes('extras')]: always(1),
  [requests(200)]: growing(6000),
  [requests(503)]: growing(1),
  [`${duration}_count{${list}}`]: growing(6000),
  [`${duration}_bucket{${list},le="0.5"}`]: growing(5990),
  'reelkeep_upload_detected_seconds_count{detected_by="notification"}': growing(100),
  'reelkeep_upload_detected_seconds_bucket{detected_by="notification",le="30"}': growing(100),
  reelkeep_time_to_playable_seconds_count: growing(100),
  'reelkeep_time_to_playable_seconds_bucket{le="120"}': growing(98),
  'reelkeep_processing_failures_total{code="processing_failed"}': always(0),
  'reelkeep_processing_failures_total{code="unsupported_file"}': growing(1),
  [answers(200)]: growing(6000),
  [answers(503)]: growing(1),
  reelkeep_upload_sessions_overdue_seconds: always(2),
  [`reelkeep_database_connections{${api},state="waiting"}`]: '0 4 0 0x117',
  [storage('fine')]: growing(600),
  [storage('away')]: always(0),
  [storageWithin('0.1')]: growing(590),
  [storageWithin('2.5')]: growing(599),
  [storageWithin('5')]: growing(600),
  [storageWithin('+Inf')]: growing(600),
  'reelkeep_storage_events_total{outcome="accepted"}': growing(100),
  'reelkeep_storage_events_total{outcome="refused"}': always(0),
  [ended('notification')]: growing(100),
  [ended('sweep')]: growing(1),
  [waits('light')]: always(1),
  [waits('probe')]: always(2),
  [waits('encode')]: always(300),
  [waits('extras')]: always(300),
  'reelkeep_jobs_total{exported_job="free-assets",outcome="failed"}': always(0),
  'reelkeep_jobs_total{exported_job="free-assets",outcome="failed_attempt"}': growing(1),
  'reelkeep_steps_reclaimed_total{step="video-encode"}': always(1),
  [runs('recover-jobs', 'done')]: growing(30),
  [runs('recover-jobs', 'failed')]: always(1),
  [runs('maintain-event-partitions', 'done')]: '0x50 1x60 2x8',
  [runs('maintain-event-partitions', 'failed')]: always(0),
  reelkeep_organizations_suspended_seconds: '0x50 20 0x69',
  'reelkeep_organizations_suspended{state="migrated"}': always(3),
  [backup('database')]: hoursOld(20),
  [backup('storage')]: hoursOld(0),
  [backupJob('created')]: hoursOld(1000),
  [succeeded]: hoursOld(0),
  'kube_cronjob_created{namespace="video",cronjob="reelkeep-admin"}': hoursOld(1000),
  reelkeep_wal_receiver_connected: '1x50 0x2 1x66',
  reelkeep_events_unsequenced_seconds: always(0),
  reelkeep_webhooks_overdue_seconds: always(1),
  [attempts('delivered')]: growing(100),
  [attempts('silent')]: growing(5),
  [`reelkeep_webhooks_claimed{${worker}}`]: always(12),
  [`nodejs_eventloop_lag_p99_seconds{${api}}`]: always(0.02),
  [`process_open_fds{${api}}`]: always(90),
  [`process_max_fds{${api}}`]: always(1024),
}

/** `null` removes the series. Alerts are written as in `ApiDown page`. */
export type Scenario = {
  readonly when: string
  readonly changes: Readonly<Record<string, string | null>>
  readonly fires: readonly string[]
}

const both = (name: string) => [`${name} page`, `${name} ticket`]

export const scenarios: readonly [Scenario, ...Scenario[]] = [
  { when: 'everything works', changes: {}, fires: [] },
  {
    when: 'one request in fifty fails',
    changes: { [requests(503)]: growing(120) },
    fires: both('ApiErrors'),
  },
  {
    when: 'three requests of four failed, and no more',
    changes: { [requests(200)]: '0 1x119', [requests(503)]: '0 1 2 3x118' },
    fires: [],
  },
  {
    when: 'one request in five is slow',
    changes: { [`${duration}_bucket{${list},le="0.5"}`]: growing(4800) },
    fires: both('ApiSlow'),
  },
  {
    when: 'the API hangs and clients disconnect',
    changes: {
      [requests(200)]: always(5),
      [requests(503)]: always(0),
      [requests(499)]: growing(60),
      [`${duration}_count{${list}}`]: growing(60),
      [`${duration}_bucket{${list},le="0.5"}`]: always(0),
    },
    fires: both('ApiSlow'),
  },
  {
    when: 'most clients disconnect at once',
    changes: {
      [requests(499)]: growing(30_000),
      [`${duration}_count{${list}}`]: growing(36_000),
      [`${duration}_bucket{${list},le="0.5"}`]: growing(35_990),
    },
    fires: [],
  },
  {
    when: 'one upload in four is detected late',
    changes: {
      'reelkeep_upload_detected_seconds_bucket{detected_by="notification",le="30"}': growing(75),
    },
    fires: both('UploadsDetectedLate'),
  },
  {
    when: 'callers complete their uploads late',
    changes: {
      'reelkeep_upload_detected_seconds_count{detected_by="hint"}': growing(100),
      'reelkeep_upload_detected_seconds_bucket{detected_by="hint",le="30"}': always(0),
    },
    fires: [],
  },
  {
    when: 'most videos are playable late',
    changes: { 'reelkeep_time_to_playable_seconds_bucket{le="120"}': growing(10) },
    fires: both('PlayableLate'),
  },
  {
    when: 'most videos fail because of the service',
    changes: { 'reelkeep_processing_failures_total{code="processing_failed"}': growing(400) },
    fires: [...both('PlayableLate'), 'ProcessingFailing ticket'],
  },
  {
    when: 'one viewer in fifty gets an error',
    changes: { [answers(503)]: growing(120) },
    fires: both('DeliveryErrors'),
  },
  {
    when: 'no API answers',
    changes: { [`up{${api}}`]: always(0) },
    fires: ['ApiDown page', 'InstanceDown ticket'],
  },
  { when: 'there is no API', changes: { [`up{${api}}`]: null }, fires: ['ApiDown page'] },
  {
    when: 'a second API does not respond',
    changes: { 'up{job="reelkeep-api",instance="c:8081"}': always(0) },
    fires: ['InstanceDown ticket'],
  },
  {
    when: 'nobody encodes',
    changes: { [takes('encode')]: null },
    fires: ['NoWorkerForQueue page'],
  },
  {
    when: 'Postgres is down',
    changes: { reelkeep_upload_sessions_overdue_seconds: null },
    fires: ['DatabaseUnavailable page'],
  },
  {
    when: 'work waits for connections',
    changes: { [`reelkeep_database_connections{${api},state="waiting"}`]: always(3) },
    fires: ['DatabaseConnectionsExhausted page'],
  },
  {
    when: 'half of the storage requests fail',
    changes: { [storage('away')]: growing(600) },
    fires: ['StorageUnavailable page'],
  },
  {
    when: 'storage takes seconds',
    changes: { [storageWithin('0.1')]: growing(100), [storageWithin('2.5')]: growing(300) },
    fires: ['StorageSlow ticket'],
  },
  {
    when: 'a notification has a wrong secret',
    changes: { 'reelkeep_storage_events_total{outcome="refused"}': '0x110 1x10' },
    fires: ['StorageNotificationsRefused ticket'],
  },
  {
    when: 'only the sweep detects uploads',
    changes: { [ended('notification')]: always(5), [ended('sweep')]: growing(10) },
    fires: ['StorageNotificationsMissing ticket'],
  },
  {
    when: 'only the sweep detects uploads, and a release has reset all counters',
    changes: {
      [ended('notification')]: '0+100x29 0x90',
      [ended('sweep')]: '0+1x29 0+10x90',
      'reelkeep_storage_events_total{outcome="accepted"}': '0+100x29 0x90',
    },
    fires: ['StorageNotificationsMissing ticket'],
  },
  {
    when: 'nobody sweeps',
    changes: { reelkeep_upload_sessions_overdue_seconds: '0+60x120' },
    fires: ['UploadSessionsOverdue page'],
  },
  {
    when: 'short jobs wait',
    changes: { [waits('light')]: '0+60x120' },
    fires: ['JobsWaiting page'],
  },
  {
    when: 'encodes wait',
    changes: { [waits('encode')]: '0+60x120' },
    fires: ['JobsWaiting ticket'],
  },
  {
    when: 'a job fails for good',
    changes: { 'reelkeep_jobs_total{exported_job="free-assets",outcome="failed"}': '0x110 1x10' },
    fires: ['JobsFailedPermanently ticket'],
  },
  {
    when: 'one video fails because of the service',
    changes: { 'reelkeep_processing_failures_total{code="processing_failed"}': '0x110 1x10' },
    fires: ['ProcessingFailing ticket'],
  },
  {
    when: 'workers die',
    changes: { 'reelkeep_steps_reclaimed_total{step="video-encode"}': '0+1x120' },
    fires: ['WorkersCrashing ticket'],
  },
  {
    when: 'a schedule fails',
    changes: { [runs('recover-jobs', 'failed')]: '0+1x120' },
    fires: ['ScheduleFailing ticket'],
  },
  {
    when: 'an hourly schedule fails each time',
    changes: {
      [runs('maintain-event-partitions', 'done')]: always(0),
      [runs('maintain-event-partitions', 'failed')]: '0x50 1x60 2x8',
    },
    fires: ['ScheduleFailing ticket'],
  },
  {
    when: 'an hourly schedule failed once, and its next run is not due',
    changes: {
      [runs('maintain-event-partitions', 'done')]: always(0),
      [runs('maintain-event-partitions', 'failed')]: '0x70 1x48',
    },
    fires: [],
  },
  {
    when: 'an hourly schedule failed twice, less than three hours after a success',
    changes: {
      [runs('maintain-event-partitions', 'done')]: '0 1x117',
      [runs('maintain-event-partitions', 'failed')]: '0x55 1x60 2x3',
    },
    fires: [],
  },
  {
    when: 'an organization stays suspended',
    changes: { reelkeep_organizations_suspended_seconds: '0x100 0+60x19' },
    fires: ['OrganizationSuspended page'],
  },
  {
    when: 'the database was not backed up since yesterday',
    changes: { [backup('database')]: hoursOld(25) },
    fires: ['BackupTooOld ticket'],
  },
  {
    when: 'storage was not backed up for days',
    changes: { [backup('storage')]: hoursOld(26) },
    fires: both('BackupTooOld'),
  },
  {
    when: 'the machine with the storage backups is lost, with its metrics',
    changes: { [backup('storage')]: `${-2 * 3600}x5 _x115` },
    fires: ['BackupTooOld ticket'],
  },
  {
    when: 'storage backups have stopped',
    changes: { [backup('storage')]: hoursOld(2) },
    fires: ['BackupTooOld ticket'],
  },
  {
    when: 'backups report no metrics here',
    changes: {
      [backup('database')]: null,
      [backup('storage')]: null,
      [backupJob('created')]: null,
      [succeeded]: null,
      reelkeep_wal_receiver_connected: null,
    },
    fires: [],
  },
  {
    when: "the chart's storage backups have stopped",
    changes: { [succeeded]: hoursOld(2) },
    fires: ['BackupJobTooOld ticket'],
  },
  {
    when: "the chart's storage backups stopped yesterday",
    changes: { [succeeded]: hoursOld(26) },
    fires: both('BackupJobTooOld'),
  },
  {
    when: 'no storage backup of the chart has ever succeeded',
    changes: { [succeeded]: null, [backupJob('created')]: hoursOld(2) },
    fires: ['BackupJobTooOld ticket'],
  },
  {
    when: "the chart's first storage backup is running",
    changes: { [succeeded]: null, [backupJob('created')]: hoursOld(0) },
    fires: [],
  },
  {
    when: 'receive-wal has died',
    changes: { reelkeep_wal_receiver_connected: '1x100 0x19' },
    fires: ['WalNotReceived page'],
  },
  {
    when: 'the database was restored, and receive-wal was not started again',
    changes: { reelkeep_wal_receiver_connected: '1x100 _x19' },
    fires: ['WalNotReceived page'],
  },
  {
    when: 'events are not sequenced',
    changes: { reelkeep_events_unsequenced_seconds: always(40) },
    fires: ['EventsUnsequenced page'],
  },
  {
    when: 'webhooks are not claimed',
    changes: { reelkeep_webhooks_overdue_seconds: always(90) },
    fires: ['WebhooksOverdue page'],
  },
  {
    when: 'no webhook responds',
    changes: { [attempts('silent')]: growing(300) },
    fires: ['WebhooksNotAnswering ticket'],
  },
  {
    when: 'a dispatcher is full',
    changes: { [`reelkeep_webhooks_claimed{${worker}}`]: always(990) },
    fires: ['DispatchersFull ticket'],
  },
  {
    when: 'an API is overloaded',
    changes: { [`nodejs_eventloop_lag_p99_seconds{${api}}`]: always(0.8) },
    fires: ['EventLoopBlocked ticket'],
  },
  {
    when: 'file descriptors run out',
    changes: { [`process_open_fds{${api}}`]: always(1000) },
    fires: ['FileDescriptorsLow ticket'],
  },
]
