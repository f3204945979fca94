/** Scenarios of a service, and the alerts that must fire in each. */
import {
  always,
  answers,
  api,
  attempts,
  backup,
  backupJob,
  duration,
  ended,
  growing,
  hoursOld,
  list,
  requests,
  runs,
  storage,
  storageWithin,
  succeeded,
  waiting,
  worker,
  workers,
} from './series.ts'

type Changes = Readonly<Record<string, string | null>>

/**
 * Series that differ from the normal ones (`null` removes a series), and the alerts that must fire, written like
 * `ApiDown page`.
 */
export type Scenario = {
  readonly when: string
  readonly changes: Changes
  readonly fires: readonly string[]
}

const both = (name: string) => [`${name} page`, `${name} ticket`]

const changesAndAlerts: Readonly<Record<string, readonly [Changes, readonly string[]]>> = {
  'everything works': [{}, []],
  'one request in fifty fails': [{ [requests(503)]: growing(120) }, both('ApiErrors')],
  'three requests of four failed, and no more': [{ [requests(200)]: '0 1x119', [requests(503)]: '0 1 2 3x118' }, []],
  'one request in five is slow': [{ [`${duration}_bucket{${list},le="0.5"}`]: growing(4800) }, both('ApiSlow')],
  'the API hangs and clients disconnect': [
    {
      [requests(200)]: always(5),
      [requests(503)]: always(0),
      [requests(499)]: growing(60),
      [`${duration}_count{${list}}`]: growing(60),
      [`${duration}_bucket{${list},le="0.5"}`]: always(0),
    },
    both('ApiSlow'),
  ],
  'most clients disconnect at once': [
    {
      [requests(499)]: growing(30_000),
      [`${duration}_count{${list}}`]: growing(36_000),
      [`${duration}_bucket{${list},le="0.5"}`]: growing(35_990),
    },
    [],
  ],
  'one upload in four is detected late': [
    { 'reelkeep_upload_detected_seconds_bucket{detected_by="notification",le="30"}': growing(75) },
    both('UploadsDetectedLate'),
  ],
  'callers complete their uploads late': [
    {
      'reelkeep_upload_detected_seconds_count{detected_by="client"}': growing(100),
      'reelkeep_upload_detected_seconds_bucket{detected_by="client",le="30"}': always(0),
    },
    [],
  ],
  'most videos are playable late': [
    { 'reelkeep_time_to_playable_seconds_bucket{le="120"}': growing(10) },
    both('PlayableLate'),
  ],
  'most videos fail because of the service': [
    { 'reelkeep_processing_failures_total{code="processing_failed"}': growing(400) },
    [...both('PlayableLate'), 'ProcessingFailing ticket'],
  ],
  'one viewer in fifty gets an error': [{ [answers(503)]: growing(120) }, both('DeliveryErrors')],
  'no API instance responds': [{ [`up{${api}}`]: always(0) }, ['ApiDown page', 'InstanceDown ticket']],
  'there is no API': [{ [`up{${api}}`]: null }, ['ApiDown page']],
  'a second API does not respond': [{ 'up{job="reelkeep-api",instance="c:8081"}': always(0) }, ['InstanceDown ticket']],
  'no worker encodes': [{ [workers('encode')]: null }, ['NoWorkerForQueue page']],
  'Postgres is down': [{ reelkeep_upload_sessions_overdue_seconds: null }, ['DatabaseUnavailable page']],
  'queries wait for connections': [
    { [`reelkeep_database_connections{${api},state="waiting"}`]: always(3) },
    ['DatabaseConnectionsExhausted page'],
  ],
  'half of the storage requests fail': [{ [storage('unavailable')]: growing(600) }, ['StorageUnavailable page']],
  'storage takes seconds': [
    { [storageWithin('0.1')]: growing(100), [storageWithin('2.5')]: growing(300) },
    ['StorageSlow ticket'],
  ],
  'a notification has a wrong secret': [
    { 'reelkeep_storage_events_total{outcome="refused"}': '0x110 1x10' },
    ['StorageNotificationsRefused ticket'],
  ],
  'only the sweep detects uploads': [
    { [ended('notification')]: always(5), [ended('sweep')]: growing(10) },
    ['StorageNotificationsMissing ticket'],
  ],
  'only the sweep detects uploads, and a release has reset all counters': [
    {
      [ended('notification')]: '0+100x29 0x90',
      [ended('sweep')]: '0+1x29 0+10x90',
      'reelkeep_storage_events_total{outcome="accepted"}': '0+100x29 0x90',
    },
    ['StorageNotificationsMissing ticket'],
  ],
  'no worker sweeps': [{ reelkeep_upload_sessions_overdue_seconds: '0+60x120' }, ['UploadSessionsOverdue page']],
  'short jobs wait': [{ [waiting('light')]: '0+60x120' }, ['JobsWaiting page']],
  'encodes wait': [{ [waiting('encode')]: '0+60x120' }, ['JobsWaiting ticket']],
  'a job fails for good': [
    { 'reelkeep_jobs_total{exported_job="free-assets",outcome="failed"}': '0x110 1x10' },
    ['JobsFailedPermanently ticket'],
  ],
  'one video fails because of the service': [
    { 'reelkeep_processing_failures_total{code="processing_failed"}': '0x110 1x10' },
    ['ProcessingFailing ticket'],
  ],
  'workers die': [{ 'reelkeep_steps_reclaimed_total{step="video-encode"}': '0+1x120' }, ['WorkersCrashing ticket']],
  'a worker has no space for a video': [
    { 'reelkeep_steps_postponed_total{step="video-encode",reason="disk",instance="worker-1"}': '0x110 1x10' },
    ['WorkerDiskFull ticket'],
  ],
  "a worker's disk fills while it encodes": [
    { 'reelkeep_disk_failures_total{step="video-encode",instance="worker-1"}': '0x110 1x10' },
    ['WorkerDiskFull ticket'],
  ],
  'a schedule fails': [{ [runs('recover-jobs', 'failed')]: '0+1x120' }, ['ScheduleFailing ticket']],
  'an hourly schedule fails each time': [
    {
      [runs('maintain-event-partitions', 'done')]: always(0),
      [runs('maintain-event-partitions', 'failed')]: '0x50 1x60 2x8',
    },
    ['ScheduleFailing ticket'],
  ],
  'an hourly schedule failed once, and its next run is not due': [
    {
      [runs('maintain-event-partitions', 'done')]: always(0),
      [runs('maintain-event-partitions', 'failed')]: '0x70 1x48',
    },
    [],
  ],
  'an hourly schedule failed twice, less than three hours after a success': [
    {
      [runs('maintain-event-partitions', 'done')]: '0 1x117',
      [runs('maintain-event-partitions', 'failed')]: '0x55 1x60 2x3',
    },
    [],
  ],
  'an organization stays suspended': [
    { reelkeep_organizations_suspended_seconds: '0x100 0+60x19' },
    ['OrganizationSuspended page'],
  ],
  'the database was not backed up since yesterday': [{ [backup('database')]: hoursOld(25) }, ['BackupTooOld ticket']],
  'storage was not backed up for days': [{ [backup('storage')]: hoursOld(26) }, both('BackupTooOld')],
  'the machine with the storage backups is lost, with its metrics': [
    { [backup('storage')]: `${-2 * 3600}x5 _x115` },
    ['BackupTooOld ticket'],
  ],
  'storage backups have stopped': [{ [backup('storage')]: hoursOld(2) }, ['BackupTooOld ticket']],
  'backups report no metrics here': [
    {
      [backup('database')]: null,
      [backup('storage')]: null,
      [backupJob('created')]: null,
      [succeeded]: null,
      reelkeep_wal_receiver_connected: null,
    },
    [],
  ],
  "the chart's storage backups have stopped": [{ [succeeded]: hoursOld(2) }, ['BackupJobTooOld ticket']],
  "the chart's storage backups stopped yesterday": [{ [succeeded]: hoursOld(26) }, both('BackupJobTooOld')],
  'no storage backup of the chart has ever succeeded': [
    { [succeeded]: null, [backupJob('created')]: hoursOld(2) },
    ['BackupJobTooOld ticket'],
  ],
  "the chart's first storage backup is running": [{ [succeeded]: null, [backupJob('created')]: hoursOld(0) }, []],
  'receive-wal has died': [{ reelkeep_wal_receiver_connected: '1x100 0x19' }, ['WalNotReceived page']],
  'the database was restored, and receive-wal was not started again': [
    { reelkeep_wal_receiver_connected: '1x100 _x19' },
    ['WalNotReceived page'],
  ],
  'events are not sequenced': [{ reelkeep_events_unsequenced_seconds: always(40) }, ['EventsUnsequenced page']],
  'a published file is damaged and not repaired': [{ reelkeep_damaged_files: always(1) }, ['StorageDamaged ticket']],
  'many published files are damaged': [
    { reelkeep_damaged_files: always(2000) },
    ['StorageDamaged ticket', 'StorageDamageWidespread page'],
  ],
  'damaged files were found and repaired': [
    { reelkeep_scrub_damaged_files_total: '0x60 3x60' },
    ['StorageDamaged ticket'],
  ],
  'audit entries are not sealed': [{ reelkeep_audit_unsealed_seconds: always(90) }, ['AuditUnsealed ticket']],
  'audit entries are lost': [
    { 'reelkeep_audit_entries_lost_total{reason="unavailable"}': growing(5) },
    ['AuditEntriesLost ticket'],
  ],
  'webhooks are not claimed': [{ reelkeep_webhooks_overdue_seconds: always(90) }, ['WebhooksOverdue page']],
  'no webhook responds': [{ [attempts('no_response')]: growing(300) }, ['WebhooksNotResponding ticket']],
  'a dispatcher is full': [{ [`reelkeep_webhooks_claimed{${worker}}`]: always(990) }, ['DispatchersFull ticket']],
  'an API is overloaded': [{ [`nodejs_eventloop_lag_p99_seconds{${api}}`]: always(0.8) }, ['EventLoopBlocked ticket']],
  'file descriptors run out': [{ [`process_open_fds{${api}}`]: always(1000) }, ['FileDescriptorsLow ticket']],
}

export const scenarios = Object.entries(changesAndAlerts).map(
  ([when, [changes, fires]]): Scenario => ({ when, changes, fires }),
) as [Scenario, ...Scenario[]]
