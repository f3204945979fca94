/** Series of two hours with one sample per minute, in the notation of Prometheus' unit tests. */

/** `0+10x120` is 0, 10, 20 …; `5x120` is always 5. */
type Series = Readonly<Record<string, string>>

export const always = (value: number) => `${value}x120`
export const growing = (perMinute: number) => `0+${perMinute}x120`

export const list = 'operation="listFolders"'
export const duration = 'reelkeep_http_request_duration_seconds'
export const storage = (outcome: string) =>
  `reelkeep_storage_request_seconds_count{operation="PutObject",outcome="${outcome}"}`
export const storageWithin = (le: string) =>
  `reelkeep_storage_request_seconds_bucket{operation="PutObject",outcome="ok",le="${le}"}`
export const ended = (by: string) => `reelkeep_upload_sessions_ended_total{status="Completed",detected_by="${by}"}`
export const workers = (queue: string) => `reelkeep_worker_queues{job="reelkeep-worker",queue="${queue}"}`
export const waiting = (queue: string) => `reelkeep_jobs_waiting_seconds{queue="${queue}"}`
export const answers = (status: number) => `reelkeep_playback_responses_total{kind="object",status="${status}"}`
export const requests = (status: number) => `reelkeep_http_requests_total{${list},status="${status}"}`
export const attempts = (outcome: string) => `reelkeep_webhook_attempts_total{outcome="${outcome}"}`
export const runs = (schedule: string, outcome: string) =>
  `reelkeep_schedule_runs_total{schedule="${schedule}",outcome="${outcome}"}`
export const backup = (kind: string) => `reelkeep_backup_finished_at{kind="${kind}"}`
/** A timestamp this many hours before the start of the scenario, which is 00:00 on January 1, 1970. */
export const hoursOld = (hours: number) => always(-hours * 3600)
export const backupJob = (metric: string) =>
  `kube_cronjob_${metric}{namespace="video",cronjob="reelkeep-backup-storage"}`
export const succeeded = backupJob('status_last_successful_time')
export const api = 'job="reelkeep-api",instance="a:8081"'
export const worker = 'job="reelkeep-worker",instance="b:8082"'

export const healthy: Series = {
  [`up{${api}}`]: always(1),
  [`up{${worker}}`]: always(1),
  [workers('light')]: always(1),
  [workers('probe')]: always(1),
  [workers('encode')]: always(1),
  [workers('extras')]: always(1),
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
  [storage('ok')]: growing(600),
  [storage('unavailable')]: always(0),
  [storageWithin('0.1')]: growing(590),
  [storageWithin('2.5')]: growing(599),
  [storageWithin('5')]: growing(600),
  [storageWithin('+Inf')]: growing(600),
  'reelkeep_storage_events_total{outcome="accepted"}': growing(100),
  'reelkeep_storage_events_total{outcome="refused"}': always(0),
  [ended('notification')]: growing(100),
  [ended('sweep')]: growing(1),
  [waiting('light')]: always(1),
  [waiting('probe')]: always(2),
  [waiting('encode')]: always(300),
  [waiting('extras')]: always(300),
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
  reelkeep_damaged_files: always(0),
  reelkeep_scrub_damaged_files_total: always(0),
  reelkeep_audit_unsealed_seconds: always(1),
  'reelkeep_audit_entries_lost_total{reason="unavailable"}': always(0),
  reelkeep_webhooks_overdue_seconds: always(1),
  [attempts('delivered')]: growing(100),
  [attempts('no_response')]: growing(5),
  [`reelkeep_webhooks_claimed{${worker}}`]: always(12),
  [`nodejs_eventloop_lag_p99_seconds{${api}}`]: always(0.02),
  [`process_open_fds{${api}}`]: always(90),
  [`process_max_fds{${api}}`]: always(1024),
}
