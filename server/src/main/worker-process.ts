import { setTimeout as sleep } from 'node:timers/promises'
import { abandonedDirectoryRemover, openSandbox, type RunObserver, type Sandbox, ScratchSpace } from '@reelkeep/media'
import { workerProcessChecks } from '../diagnostics/worker-process-checks.ts'
import type { PipelineDeps } from '../modules/pipeline/attempt.ts'
import type { Stage } from '../modules/pipeline/steps/step.ts'
import { readWorkerConfig } from '../platform/config/env.ts'
import { databaseReadinessError } from '../platform/db/readiness.store.ts'
import { repeatAfterPause } from '../platform/jobs/repeat.ts'
import { startWorker, type WorkerOptions } from '../platform/jobs/worker.ts'
import { addSpanAttributes, traced } from '../platform/observability/tracing.ts'
import { runProcess, stopOnSignal } from './process.ts'
import { openWorkerContext, type WorkerContext } from './wiring/context.ts'
import { drmOf } from './wiring/key-provider.ts'
import { buildOperationsApp } from './wiring/operations-app.ts'
import { logStorageProblems } from './wiring/startup-storage-check.ts'
import { openTracing } from './wiring/tracing.ts'
import { transcriberFor, workerIntervals } from './wiring/worker-options.ts'

const READINESS_POLL_SECONDS = 1
const SCRATCH_CHECK_SECONDS = 60

type Registrations = Pick<WorkerOptions, 'handlers' | 'schedules' | 'services'>

/** Dependencies of handlers and schedules. */
export type WorkerDeps = WorkerContext & {
  /** Creates the pipeline dependencies for the given stages. */
  readonly pipelineDeps: (stages: readonly Stage[]) => PipelineDeps
}

/** Runs a worker process with health and metrics on its own port. */
export function runWorker(register: (workerDeps: WorkerDeps) => Registrations): Promise<void> {
  return runProcess(async () => {
    const config = readWorkerConfig()
    const identity = { name: 'reelkeep-worker', instance: config.WORKER_ID }
    const tracing = await openTracing(config, identity)
    const context = openWorkerContext(config)
    const operations = buildOperationsApp(context, workerProcessChecks(context))
    let worker: AsyncDisposable | undefined
    stopOnSignal(context, config.WORKER_DRAIN_SECONDS, async () => {
      await worker?.[Symbol.asyncDispose]()
      await operations.close()
      await context[Symbol.asyncDispose]()
      await tracing[Symbol.asyncDispose]()
    })
    // Health checks must not succeed for a worker that ends because it has no sandbox.
    const sandbox = await openSandbox({ mode: config.MEDIA_SANDBOX, observe: tracedRun })
    // A second worker of the same name fails here, before it claims anything.
    await operations.listen({ host: config.HOST, port: config.WORKER_OPERATIONS_PORT })
    await waitForDatabase(context)
    const registrations = register({ ...context, pipelineDeps: (stages) => pipelineDeps(context, sandbox, stages) })
    worker = await startWorker({
      ...registrations,
      services: [...(registrations.services ?? []), () => removeAbandonedScratch(context)],
      workerId: config.WORKER_ID,
      databaseUrl: config.DATABASE_WORKER_URL,
      database: context.database,
      logger: context.logger,
      metrics: context.jobMetrics,
      drainSeconds: config.WORKER_DRAIN_SECONDS,
      queues: config.WORKER_QUEUES,
      intervals: workerIntervals(config),
    })
    context.enter('serving')
    void logStorageProblems(context)
    const mode = config.MEDIA_SANDBOX
    context.logger.info({ worker: config.WORKER_ID, queues: config.WORKER_QUEUES, sandbox: mode }, 'worker started')
    if (mode === 'none') context.logger.warn('media sandbox is disabled')
  })
}

/** Removes what killed workers of this machine have left on its disk, while this worker runs. */
const removeAbandonedScratch = ({ logger }: WorkerContext) =>
  repeatAfterPause(SCRATCH_CHECK_SECONDS, abandonedDirectoryRemover(), (err) =>
    logger.warn({ err }, 'failed to remove abandoned directories'),
  )

/** Traces the duration of a program; the step that runs it reports its result. */
const tracedRun: RunObserver = (program, run) =>
  traced(`run ${program}`, {}, async () => {
    const ran = await run()
    addSpanAttributes({ exit_status: ran.exitStatus.kind, cpu_seconds: ran.cpuSeconds })
    return ran
  })

const pipelineDeps = (
  { uploads, media, copies, config, pipelineMetrics: metrics }: WorkerContext,
  sandbox: Sandbox,
  stages: readonly Stage[],
): PipelineDeps => ({
  ...{ uploads: uploads.bucket, media, sandbox, metrics, stages },
  keyRing: config.KEY_ENCRYPTION_KEYS,
  transcriber: transcriberFor(config),
  drm: drmOf(config),
  copies,
  scratch: new ScratchSpace(),
  workerId: config.WORKER_ID,
  intervals: workerIntervals(config),
})

/** Resolves when the database is ready; it may start, or be migrated, later than this process. */
async function waitForDatabase({ database, logger }: WorkerContext): Promise<void> {
  let logged: string | undefined
  for (;;) {
    const problem = await databaseReadinessError(database).catch(
      (error: unknown) => `the database does not respond: ${String(error)}`,
    )
    if (problem === undefined) return
    if (problem !== logged) logger.warn({ reason: problem }, 'waiting for the database')
    logged = problem
    await sleep(READINESS_POLL_SECONDS * 1000)
  }
}
