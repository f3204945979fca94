/** Starts, configures and stops the engine in this process, and migrates its tables. */
import { DBOS, type DLogger } from '@dbos-inc/dbos-sdk'
import { dbRetryConfig, INTERNAL_QUEUE_NAME } from '@dbos-inc/dbos-sdk/internal/utils'
import { registerInternalQueue } from '@dbos-inc/dbos-sdk/internal/wfqueue'
import { workflowTimeoutConfig } from '@dbos-inc/dbos-sdk/internal/workflow_management'
import { serversOf } from '../../../kernel/database-url.ts'
import type { QueueName } from '../../../kernel/queues.ts'
import { openPool } from '../../db/connections/pool.ts'
import type { PrimaryClient } from '../../db/connections/primary-client.ts'
import { repeatWrites } from '../../db/connections/retried-writes.ts'
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../observability/logger.ts'
import type { Intervals } from '../intervals.ts'
import { queues } from '../queues.ts'
import { pollLessWhileIdle } from './backlog/idle-polls.ts'
import type { ClaimedJob } from './lost-jobs.ts'
import { APPLICATION_NAME, isJobFailure, WORKFLOW_VERSION } from './workflow.ts'

/** Maximum number of connections of the engine itself, in addition to those of the handlers. */
const CONNECTIONS_MAX = 8
const STATEMENT_TIMEOUT_SECONDS = 10

/**
 * The engine retries an unavailable Postgres with pauses that double up to a minute and a half, during which no job
 * would start after an outage. Connection attempts are cheap, so pause less.
 */
const RECONNECT_SECONDS_MAX = 2

/**
 * Interval of the engine's work for features that we do not use: its own queue, its schedules and its timeouts of
 * workflows. With the defaults it is a fifth of an idle worker's statements.
 */
const UNUSED_FEATURES_SECONDS = 3600

/**
 * Lock timeout of the engine's migrations, equal to that of our own: a migration fails rather than making other
 * sessions wait.
 */
const LOCK_TIMEOUT_SECONDS = 5

export type EngineOptions = {
  readonly workerId: string
  readonly databaseUrl: string
  readonly logger: Logger
  /** The queues that this worker serves. */
  readonly queues: readonly QueueName[]
  readonly intervals: Pick<Intervals, 'pollSeconds'>
  readonly database: Database
  /** Jobs that this worker runs. */
  readonly claimed: ReadonlySet<ClaimedJob>
}

/** Claims and runs jobs until it is drained. Recovers the jobs of an earlier process with the same worker id. */
export async function launchEngine(options: EngineOptions) {
  const { workerId, databaseUrl, logger, intervals } = options
  const pool = openPool(
    {
      url: databaseUrl,
      connectionsMax: CONNECTIONS_MAX,
      statementTimeoutSeconds: STATEMENT_TIMEOUT_SECONDS,
    },
    (err) => logger.warn({ err }, 'idle connection of the job engine failed'),
  )
  pool.on('connect', (client) => repeatWrites(client as unknown as PrimaryClient))
  dbRetryConfig.maxBackoffSec = RECONNECT_SECONDS_MAX
  DBOS.setConfig({
    name: APPLICATION_NAME,
    // Only checked and logged, because the pool is given. The engine cannot parse a URL with several servers.
    systemDatabaseUrl: serversOf(databaseUrl)[0]?.url ?? databaseUrl,
    systemDatabasePool: pool,
    executorID: workerId,
    applicationVersion: WORKFLOW_VERSION,
    runMigrations: false,
    // Commits with NOTIFY wait for each other across all of Postgres. We poll instead.
    useListenNotify: false,
    listenQueues: [...options.queues],
    schedulerPollingIntervalMs: UNUSED_FEATURES_SECONDS * 1000,
    logger: engineLogger(logger),
  })
  registerInternalQueue(INTERNAL_QUEUE_NAME, { minPollingIntervalMs: UNUSED_FEATURES_SECONDS * 1000 })
  workflowTimeoutConfig.pollingIntervalMs = UNUSED_FEATURES_SECONDS * 1000
  await DBOS.launch()
  const idlePolls = pollLessWhileIdle(options)
  for (const [name, { pollsEvery, ...limits }] of Object.entries(queues)) {
    const minPollingIntervalMs = 1000 * pollsEvery * intervals.pollSeconds
    await DBOS.registerQueue(name, {
      ...limits,
      minPollingIntervalMs,
      onConflict: 'always_update',
    })
  }
  return {
    /** Stops claiming jobs and waits at most `seconds` for running ones. */
    drain: async (seconds: number) => {
      await idlePolls[Symbol.asyncDispose]()
      await DBOS.shutdown({ workflowCompletionTimeoutMS: seconds * 1000 })
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** Sets the polling intervals of the queues that have another one; workers read them every second. */
export async function setPollingIntervals(secondsOf: (name: QueueName) => number): Promise<void> {
  for (const queue of await DBOS.listQueues()) {
    if (!isQueueName(queue.name)) continue
    const milliseconds = Math.round(secondsOf(queue.name) * 1000)
    if (queue.minPollingIntervalMs !== milliseconds) await queue.setMinPollingIntervalMs(milliseconds)
  }
}

const isQueueName = (name: string): name is QueueName => name in queues

/**
 * Creates or migrates the engine's tables. Our own migrations grant access to them. If the engine cannot connect,
 * throws the error of the connection.
 */
export async function migrateEngine(ownerUrl: string): Promise<void> {
  const url = new URL(ownerUrl)
  url.searchParams.set('options', `-c lock_timeout=${LOCK_TIMEOUT_SECONDS * 1000}`)
  await DBOS.migrate(url.href).catch((error: unknown) => {
    throw (error as { readonly error?: Error }).error ?? error
  })
}

/** Message that the engine logs for the jobs that a stopping worker releases. */
const CLOSED = 'The system database has been shut down'

const isExpected = (entry: unknown) => isJobFailure(entry) || String(entry).includes(CLOSED)

/** Lowers the level of the engine's informational messages, which help only to debug the engine. */
export function engineLogger(logger: Logger): DLogger {
  return {
    debug: (entry) => logger.trace(String(entry)),
    info: (entry) => logger.debug(String(entry)),
    warn: (entry) => logger.warn(String(entry)),
    error: (entry, more) => isExpected(entry) || logger.error({ err: more?.error }, String(entry)),
  }
}
