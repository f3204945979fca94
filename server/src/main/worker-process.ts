import { setTimeout as sleep } from 'node:timers/promises'
import { openSandbox, type RunObserver, type Sandbox } from '@reelkeep/media'
import type { Workbench } from '../capabilities/pipeline/attempt.ts'
import type { Stage } from '../capabilities/pipeline/steps/step.ts'
import { readWorkerConfig } from '../platform/config/env.ts'
import { databaseReadinessError } from '../platform/db/readiness.store.ts'
import { startWorker, type WorkerOptions } from '../platform/jobs/worker.ts'
import { addSpanAttributes, traced } from '../platform/observability/tracing.ts'
import { openWorkerContext, type WorkerContext } from './context.ts'
import { drmOf } from './key-provider.ts'
import { buildOperationsApp } from './operations-app.ts'
import { runProcess, stopWhenTold } from './process.ts'
import { recogniserOf } from './recogniser.ts'
import { checkStorage } from './storage-check.ts'
import { openTracing } from './tracing.ts'
import { workerExaminations } from './worker-examinations.ts'
import { intervalsOf } from './worker-intervals.ts'

const ASK_AGAIN_SECONDS = 1

type Work = Pick<WorkerOptions, 'handlers' | 'schedules' | 'companions'>

/** Dependencies of handlers and schedules. */
export type Equipment = WorkerContext & {
  /** Creates the pipeline dependencies for the given stages. */
  readonly workbench: (stages: readonly Stage[]) => Workbench
}

/** Runs a worker process with health and metrics on its own port. */
export function runWorker(workOf: (equipment: Equipment) => Work): Promise<void> {
  return runProcess(async () => {
    const config = readWorkerConfig()
    const who = { name: 'reelkeep-worker', instance: config.WORKER_ID }
    const tracing = await openTracing(config, who)
    const context = openWorkerContext(config)
    const operations = buildOperationsApp(context, workerExaminations(context))
    let worker: AsyncDisposable | undefined
    stopWhenTold(context, config.WORKER_DRAIN_SECONDS, async () => {
      await worker?.[Symbol.asyncDispose]()
      await operations.close()
      await context[Symbol.asyncDispose]()
      await tracing[Symbol.asyncDispose]()
    })
    // The port first: a second worker of the same name fails here, before it claims anything.
    await operations.listen({ host: config.HOST, port: config.WORKER_OPERATIONS_PORT })
    const sandbox = await openSandbox({ mode: config.MEDIA_SANDBOX, observe: tracedRun })
    await fitDatabase(context)
    worker = await startWorker({
      ...workOf({ ...context, workbench: (stages) => workbench(context, sandbox, stages) }),
      workerId: config.WORKER_ID,
      databaseUrl: config.DATABASE_WORKER_URL,
      database: context.database,
      logger: context.logger,
      metrics: context.jobMetrics,
      drainSeconds: config.WORKER_DRAIN_SECONDS,
      queues: config.WORKER_QUEUES,
      intervals: intervalsOf(config),
    })
    context.enter('serving')
    void checkStorage(context)
    const mode = config.MEDIA_SANDBOX
    context.logger.info(
      { worker: config.WORKER_ID, queues: config.WORKER_QUEUES, sandbox: mode },
      'working',
    )
    if (mode === 'none') context.logger.warn('media sandbox is disabled')
  })
}

/** Traces the duration of a program; the step that runs it reports its result. */
const tracedRun: RunObserver = (program, run) =>
  traced(`run ${program}`, {}, async () => {
    const ran = await run()
    addSpanAttributes({ ending: ran.exitStatus.kind, cpu_seconds: ran.cpuSeconds })
    return ran
  })

const workbench = (
  { uploads, media, config, pipelineMetrics: metrics }: WorkerContext,
  sandbox: Sandbox,
  stages: readonly Stage[],
): Workbench => ({
  ...{ uploads: uploads.bucket, media, sandbox, metrics, stages },
  keyRing: config.KEY_ENCRYPTION_KEYS,
  recogniser: recogniserOf(config),
  drm: drmOf(config),
  intervals: intervalsOf(config),
})

/** Resolves when the database is ready; it may start, or be migrated, later than this process. */
async function fitDatabase({ database, logger }: WorkerContext): Promise<void> {
  let logged: string | undefined
  for (;;) {
    const problem = await databaseReadinessError(database).catch(
      (error: unknown) => `the database does not respond: ${String(error)}`,
    )
    if (problem === undefined) return
    if (problem !== logged) logger.warn({ reason: problem }, 'waiting for the database')
    logged = problem
    await sleep(ASK_AGAIN_SECONDS * 1000)
  }
}
