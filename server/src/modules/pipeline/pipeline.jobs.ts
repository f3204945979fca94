import type { Database } from '../../platform/db/database.ts'
import { type Handler, handle } from '../../platform/jobs/handler.ts'
import { recoverySeconds } from '../../platform/jobs/intervals.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { renderCoverFrame, renderCoverUpload } from '../assets/assets.ts'
import { attemptStep, type PipelineDeps } from './attempt.ts'
import { createCover } from './cover/cover-frame.ts'
import { encodeCover } from './cover/cover-upload.ts'
import { cleanUpOutputs, deleteLostOutputs } from './outputs.ts'
import { repair } from './repair/repair.ts'
import { repairFiles } from './repair/repair-job.ts'
import { startRepairs } from './repair/repair-schedule.ts'
import { stepName } from './steps/step.ts'
import { watch } from './watchdog/watchdog.ts'

const WATCH_RUN_SECONDS_MAX = 60
/** Damaged files are refused until they are repaired. */
const REPAIR_EVERY_SECONDS = 10
const REPAIR_RUN_SECONDS_MAX = 600

export const pipelineHandlers = (deps: PipelineDeps): Handler[] => [
  ...deps.stages.flat().map((step) => {
    deps.metrics.addStep(stepName(step))
    return handle(step.job, (attempt) => attemptStep(deps, step, attempt))
  }),
  handle(renderCoverFrame, (attempt) => createCover(deps, attempt)),
  handle(renderCoverUpload, (attempt) => encodeCover(deps, attempt)),
  handle(repairFiles, (attempt) => repair(deps, attempt)),
  handle(cleanUpOutputs, ({ db, input: { assetId }, signal }) =>
    deleteLostOutputs(deps.media, db, { assetId, signal }),
  ),
]

export const pipelineSchedules = (
  deps: Pick<PipelineDeps, 'stages' | 'metrics' | 'intervals' | 'media' | 'copies'>,
  database: Database,
): Schedule[] => [
  {
    name: 'watch-pipelines',
    everySeconds: recoverySeconds(deps.intervals),
    runSecondsMax: WATCH_RUN_SECONDS_MAX,
    run: ({ signal, logger }) =>
      watch(database, deps, {
        signal,
        onFailure: (err, { organizationId, assetId, step }) =>
          logger.warn(
            { err, organization_id: organizationId, asset_id: assetId, step },
            'failed to process an overdue step',
          ),
      }),
  },
  {
    name: 'repair-storage',
    everySeconds: REPAIR_EVERY_SECONDS,
    runSecondsMax: REPAIR_RUN_SECONDS_MAX,
    run: ({ signal, logger }) => startRepairs(database, { ...deps, signal, logger }),
  },
]
