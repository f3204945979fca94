import type { Database } from '../../platform/db/database.ts'
import { type Handler, handle } from '../../platform/jobs/handler.ts'
import { recoverySeconds } from '../../platform/jobs/intervals.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { attemptStep, type PipelineDeps } from './attempt.ts'
import { freeLostOutputs, tidyOutputs } from './outputs.ts'
import { stepName } from './steps/step.ts'
import { watch } from './watchdog.ts'

const WATCH_RUN_SECONDS_MAX = 60

export const pipelineHandlers = (bench: PipelineDeps): Handler[] => [
  ...bench.stages.flat().map((step) => {
    bench.metrics.enterStep(stepName(step))
    return handle(step.job, (attempt) => attemptStep(bench, step, attempt))
  }),
  handle(tidyOutputs, ({ db, input, signal }) =>
    freeLostOutputs(bench.media, db, input.assetId, signal),
  ),
]

export const pipelineSchedules = (
  bench: Pick<PipelineDeps, 'stages' | 'metrics' | 'intervals'>,
  database: Database,
): Schedule[] => [
  {
    name: 'watch-pipelines',
    everySeconds: recoverySeconds(bench.intervals),
    runSecondsMax: WATCH_RUN_SECONDS_MAX,
    run: ({ signal, logger }) =>
      watch(database, bench, signal, (err, due) =>
        logger.warn(
          { err, organization_id: due.organizationId, asset_id: due.assetId, step: due.step },
          'failed to process an overdue step',
        ),
      ),
  },
]
