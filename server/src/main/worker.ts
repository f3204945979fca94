/** `node server/src/main/worker.ts`: does what was promised, until it is told to stop. */
import { assetHandlers } from '../capabilities/assets/assets.jobs.ts'
import { eventSchedules } from '../capabilities/events/events.jobs.ts'
import { pipelineHandlers, pipelineSchedules } from '../capabilities/pipeline/pipeline.jobs.ts'
import { stages } from '../capabilities/pipeline/steps/stages.ts'
import { subtitleHandlers } from '../capabilities/subtitles/subtitles.jobs.ts'
import { uploadSchedules } from '../capabilities/upload-sessions/upload-sessions.jobs.ts'
import { answerSchedules } from '../platform/http/old-answers.ts'
import { courierOf } from './courier.ts'
import { onNumbered } from './on-numbered.ts'
import { runWorker } from './worker-process.ts'

// A capability that promises jobs or needs a schedule adds its own here.
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
      ...eventSchedules(database, { keptDays: config.EVENTS_KEPT_DAYS, onNumbered }),
      ...answerSchedules(database),
    ],
    companions: [() => courierOf(equipment)],
  }
})
