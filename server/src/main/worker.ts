/** `node server/src/main/worker.ts`: does what was promised, until it is told to stop. */
import { assetHandlers } from '../capabilities/assets/assets.jobs.ts'
import { uploadSchedules } from '../capabilities/upload-sessions/upload-sessions.jobs.ts'
import { answerSchedules } from '../platform/http/old-answers.ts'
import { runWorker } from './worker-process.ts'

// A capability that promises jobs or needs a schedule adds its own here.
await runWorker(({ config, database, uploads }) => ({
  handlers: assetHandlers(uploads.bucket),
  schedules: [
    ...uploadSchedules(uploads, database, config.UPLOAD_SWEEP_SECONDS),
    ...answerSchedules(database),
  ],
}))
