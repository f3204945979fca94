/** `node server/src/main/worker.ts`: runs jobs and schedules until stopped. */
import { assetHandlers } from '../capabilities/assets/assets.jobs.ts'
import { eventSchedules } from '../capabilities/events/events.jobs.ts'
import { pipelineHandlers, pipelineSchedules } from '../capabilities/pipeline/pipeline.jobs.ts'
import { stages } from '../capabilities/pipeline/steps/stages.ts'
import { subtitleHandlers } from '../capabilities/subtitles/subtitles.jobs.ts'
import { uploadSchedules } from '../capabilities/upload-sessions/upload-sessions.jobs.ts'
import { idempotencySchedules } from '../platform/http/idempotency-cleanup.ts'
import { courierOf } from './courier.ts'
import { onSequenced } from './on-sequenced.ts'
import { runWorker } from './worker-process.ts'

// Modules with jobs or schedules are registered here.
await runWorker((equipment) => {
  const { config, database, uploads, media, workbench } = equipment
  const bench = workbench(stages)
  return {
    handlers: [
      ...assetHandlers([uploads.bucket, media]),
      ...subtitleHandlers(media),
      ...pipelineHandlers(bench),
    ],
    schedules: [
      ...pipelineSchedules(bench, database),
      ...uploadSchedules(uploads, database, config.UPLOAD_SWEEP_SECONDS),
      ...eventSchedules(database, { keptDays: config.EVENT_RETENTION_DAYS, onSequenced }),
      ...idempotencySchedules(database),
    ],
    companions: [() => courierOf(equipment)],
  }
})
