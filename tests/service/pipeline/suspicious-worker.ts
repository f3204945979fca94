/** A test worker on which every file fails, as on a worker with a broken ffmpeg. */
import { PartFailed } from '@reelkeep/media'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { pipelineHandlers, pipelineSchedules } from '@reelkeep/server/modules/pipeline/pipeline.jobs.ts'
import { stepError } from '@reelkeep/server/modules/pipeline/steps/encode.step.ts'
import { probe } from '@reelkeep/server/modules/pipeline/steps/probe.step.ts'
import { type Step, stepJob } from '@reelkeep/server/modules/pipeline/steps/step.ts'

const part = { number: 0, tracks: [{ name: '240p', segments: { start: 0, end: 1 } }] } as const

const encode: Step = {
  job: stepJob('encode', 'encode', { maxAttempts: 8, firstBackoffSeconds: 1, attemptTimeoutSeconds: 60 }),
  runningLabel: 'Encoding',
  waitingLabel: 'The file is waiting to be encoded',
  run: async (context) => {
    throw stepError(new PartFailed('ffmpeg ended with 1'), part, context)
  },
}

await runWorker(({ database, pipelineDeps }) => {
  const deps = pipelineDeps([[probe], [encode]])
  return { handlers: pipelineHandlers(deps), schedules: pipelineSchedules(deps, database) }
})
