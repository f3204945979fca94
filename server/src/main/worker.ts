/** `node server/src/main/worker.ts`: runs jobs and schedules until stopped. */
import { clockSchedules } from '../maintenance/clock/clock.ts'
import { expiredRowsSchedules } from '../maintenance/expired-rows/expired-rows.ts'
import { scrubSchedules } from '../maintenance/scrub/scrub.jobs.ts'
import { assetHandlers } from '../modules/assets/assets.jobs.ts'
import { assetsInFolders } from '../modules/assets/deletion/asset-deletion.ts'
import { auditSchedules } from '../modules/audit/audit.jobs.ts'
import { bulkHandlers } from '../modules/bulk-operations/bulk-operations.jobs.ts'
import { eventSchedules } from '../modules/events/events.jobs.ts'
import { organizationDeletionSchedules } from '../modules/organization-deletion/organization-deletion.jobs.ts'
import { pipelineHandlers, pipelineSchedules } from '../modules/pipeline/pipeline.jobs.ts'
import { renderHandlers } from '../modules/pipeline/render/render.jobs.ts'
import { stages } from '../modules/pipeline/steps/stages.ts'
import { quotaSchedules } from '../modules/quotas/quotas.jobs.ts'
import { embeddingSchedules } from '../modules/search/semantic/embedding-jobs.ts'
import { sessionSchedules } from '../modules/sessions/sessions.jobs.ts'
import { subtitleHandlers } from '../modules/subtitles/subtitles.jobs.ts'
import { trashSchedules } from '../modules/trash/trash.jobs.ts'
import { uploadSchedules } from '../modules/upload-sessions/upload-sessions.jobs.ts'
import { formLifetimeMax } from '../modules/upload-sessions/upload-sessions.ts'
import { usageSchedules } from '../modules/usage/usage.jobs.ts'
import { versionHandlers } from '../modules/versions/versions.jobs.ts'
import { fanOut } from '../modules/webhooks/webhooks.ts'
import { deleteOldResponses } from '../platform/http/idempotency/idempotency-cleanup.ts'
import { webhookDispatcherFor } from './wiring/webhook-dispatcher.ts'
import { runWorker } from './worker-process.ts'

// Modules with jobs or schedules are registered here.
await runWorker((workerDeps) => {
  const { config, database, uploads, media, scrubMetrics, pipelineDeps } = workerDeps
  const deps = pipelineDeps(stages)
  const deletion = { formSecondsMax: formLifetimeMax(uploads.limits) }
  return {
    handlers: [
      ...assetHandlers({ uploads: uploads.bucket, media }),
      ...bulkHandlers(database, deletion),
      ...subtitleHandlers(media),
      ...pipelineHandlers(deps),
      ...renderHandlers({ ...deps, settings: deletion }),
      ...versionHandlers(deletion, uploads.bucket),
    ],
    schedules: [
      ...pipelineSchedules(deps, database),
      ...uploadSchedules(uploads, database, config.UPLOAD_SWEEP_SECONDS),
      ...trashSchedules(database, { settings: deletion, assets: assetsInFolders(deletion) }),
      ...scrubSchedules(database, {
        ...{ media, uploads: uploads.bucket, metrics: scrubMetrics },
        bytesPerDay: config.SCRUB_BYTES_PER_DAY,
      }),
      ...embeddingSchedules(database, workerDeps.embeddings),
      ...clockSchedules(database),
      ...expiredRowsSchedules(database),
      ...quotaSchedules(database),
      ...usageSchedules(database),
      ...sessionSchedules(database),
      ...auditSchedules(database, { retentionDays: config.AUDIT_RETENTION_DAYS }),
      ...organizationDeletionSchedules(database, { buckets: [uploads.bucket, media], ...deletion }),
      ...eventSchedules(database, { retentionDays: config.EVENT_RETENTION_DAYS, onSequenced: fanOut }),
      {
        name: 'delete-old-responses',
        everySeconds: 3600,
        runSecondsMax: 600,
        run: ({ signal }) => deleteOldResponses(database, signal),
      },
    ],
    services: [() => webhookDispatcherFor(workerDeps)],
  }
})
