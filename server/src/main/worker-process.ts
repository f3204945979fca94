import { setTimeout as sleep } from 'node:timers/promises'
import { openSandbox, type Sandbox, type Watch } from '@reelkeep/media'
import type { Workbench } from '../capabilities/pipeline/attempt.ts'
import type { Stage } from '../capabilities/pipeline/steps/step.ts'
import { readWorkerConfig } from '../platform/config/env.ts'
import { databaseFault } from '../platform/db/fitness.store.ts'
import { startWorker, type WorkerOptions } from '../platform/jobs/worker.ts'
import { noteFacts, traced } from '../platform/observability/tracing.ts'
import { openWorkerContext, type WorkerContext } from './context.ts'
import { drmOf } from './key-provider.ts'
import { buildOperationsApp } from './operations-app.ts'
import { runProcess, stopWhenTold } from './process.ts'
import { recogniserOf } from './recogniser.ts'
import { checkStorage } from './storage-check.ts'
import { openTracing } from './tracing.ts'
import { workerExaminations } from './worker-examinations.ts'

const ASK_AGAIN_SECONDS = 1

type Work = Pick<WorkerOptions, 'handlers' | 'schedules' | 'companions'>

/** What work is done with. */
export type Equipment = WorkerContext & {
  /** What videos are processed with, given what is done with them. */
  readonly workbench: (stages: readonly Stage[]) => Workbench
}

/** A worker as a process, with health and metrics on a port of its own. */
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
    // First the port: a second worker of the same name fails here, before it takes anything.
    await operations.listen({ host: config.HOST, port: config.WORKER_OPERATIONS_PORT })
    const sandbox = await openSandbox({ mode: config.MEDIA_SANDBOX, watch: tracedRun })
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
    })
    context.enter('serving')
    void checkStorage(context)
    const mode = config.MEDIA_SANDBOX
    context.logger.info(
      { worker: config.WORKER_ID, queues: config.WORKER_QUEUES, sandbox: mode },
      'working',
    )
    if (mode === 'none') context.logger.warn('uploaded files are read without a sandbox of ours')
  })
}

/** How a program ended is told by the step that ran it; here is how long it took. */
const tracedRun: Watch = (program, run) =>
  traced(`run ${program}`, {}, async () => {
    const ran = await run()
    noteFacts({ ending: ran.ending.kind, cpu_seconds: ran.cpuSeconds })
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
})

/** Resolves when the database can be worked with; it may start, or be migrated, after us. */
async function fitDatabase({ database, logger }: WorkerContext): Promise<void> {
  let told: string | undefined
  for (;;) {
    const fault = await databaseFault(database).catch(
      (error: unknown) => `the database does not answer: ${String(error)}`,
    )
    if (fault === undefined) return
    if (fault !== told) logger.warn({ reason: fault }, 'waiting for the database')
    told = fault
    await sleep(ASK_AGAIN_SECONDS * 1000)
  }
}
