import type { Registry } from 'prom-client'
import {
  PassRegister,
  PlaybackDoor,
  ServicePasses,
} from '../capabilities/access-tokens/access-tokens.ts'
import { unsequencedSeconds } from '../capabilities/events/events.ts'
import { startPublisher } from '../capabilities/events/publisher.ts'
import { gaugeStreams } from '../capabilities/events/stream/stream-metrics.ts'
import { openPipelineMetrics } from '../capabilities/pipeline/pipeline-metrics.ts'
import { openPlaybackMetrics } from '../capabilities/playback/playback-metrics.ts'
import { gaugeSuspensions } from '../capabilities/suspension/suspension-metrics.ts'
import { TokenCache } from '../capabilities/tokens/token-cache.ts'
import { gaugeOverdue, openUploadMetrics } from '../capabilities/upload-sessions/upload-metrics.ts'
import { overdueSeconds, type Uploads } from '../capabilities/upload-sessions/upload-sessions.ts'
import { openCourierMetrics } from '../capabilities/webhooks/courier/courier-metrics.ts'
import { overdueWebhookSeconds } from '../capabilities/webhooks/webhooks.ts'
import type { ApiConfig, SharedConfig, WorkerConfig } from '../platform/config/env.ts'
import { Database } from '../platform/db/database.ts'
import { gaugeWalReceiver } from '../platform/db/wal-receiver.ts'
import type { Phase } from '../platform/http/health.ts'
import { openJobMetrics } from '../platform/jobs/job-metrics.ts'
import { gaugeOpenJobs } from '../platform/jobs/open-jobs.ts'
import { queueNames } from '../platform/jobs/queues.ts'
import { waitingJobs } from '../platform/jobs/waiting.store.ts'
import { type Logger, openLogger } from '../platform/observability/logger.ts'
import { gaugeSeconds, openMetrics, openRequestMetrics } from '../platform/observability/metrics.ts'
import type { StorageOptions } from '../platform/storage/client.ts'
import { MediaBucket } from '../platform/storage/media-bucket.ts'
import { openStorageMetrics } from '../platform/storage/storage-metrics.ts'
import { UploadsBucket } from '../platform/storage/uploads-bucket.ts'
import { onSequenced } from './on-sequenced.ts'
import { storageOptions } from './storage-options.ts'
import { openStreams } from './streams.ts'
import { version } from './version.ts'

/** Shared dependencies of a process, opened from its settings and closed with it. */
export type BaseContext = ReturnType<typeof openBase>
export type Context = ReturnType<typeof openContext>
export type WorkerContext = ReturnType<typeof openWorkerContext>

export function openContext(config: ApiConfig, logger?: Logger) {
  const base = openBase(config, config.DATABASE_URL, logger)
  const tokenCache = new TokenCache(base.database, (error) =>
    base.logger.warn({ err: error }, 'failed to record the use of a token'),
  )
  const media = new MediaBucket(base.storage)
  const passes = new ServicePasses({
    secret: config.PLAYBACK_SECRET,
    previousSecret: config.PLAYBACK_SECRET_PREVIOUS,
  })
  const passRegister = PassRegister.over(base.database)
  const streams = openStreams(config, base, tokenCache)
  gaugeStreams(base.metrics.registry, () => streams.openCount)
  // It can serve from the start: requests wait for the database if necessary.
  base.enter('serving')
  return {
    ...base,
    config,
    media,
    tokenCache,
    passes,
    passRegister,
    streams,
    door: new PlaybackDoor(passes, passRegister),
    requestMetrics: openRequestMetrics(base.metrics.registry),
    playbackMetrics: openPlaybackMetrics(base.metrics.registry),
    isStopping: () => base.phase() === 'stopping',
    [Symbol.asyncDispose]: async () => {
      media[Symbol.dispose]()
      await streams[Symbol.asyncDispose]()
      await base[Symbol.asyncDispose]()
    },
  }
}

/** Overdue work, exported even if no worker processes it. */
function gaugeBacklog({ metrics: { registry }, database }: BaseContext): void {
  gaugeSeconds(registry, {
    name: 'reelkeep_events_unsequenced_seconds',
    help: 'Age of the oldest event that is not sequenced.',
    query: () => unsequencedSeconds(database),
  })
  gaugeSeconds(registry, {
    name: 'reelkeep_webhooks_overdue_seconds',
    help: 'Time that the longest-due unclaimed webhook has been waiting.',
    query: () => overdueWebhookSeconds(database),
  })
}

export function openWorkerContext(config: WorkerConfig) {
  const base = openBase(config, config.DATABASE_WORKER_URL)
  const backlog = () => waitingJobs(base.database, queueNames)
  gaugeOpenJobs(base.metrics.registry, base.database)
  gaugeOverdue(base.metrics.registry, () => overdueSeconds(base.database))
  gaugeBacklog(base)
  gaugeSuspensions(base.metrics.registry, base.database)
  gaugeWalReceiver(base.metrics.registry, base.database)
  const media = new MediaBucket(base.storage)
  return {
    ...base,
    config,
    media,
    pipelineMetrics: openPipelineMetrics(base.metrics.registry),
    courierMetrics: openCourierMetrics(base.metrics.registry),
    jobMetrics: openJobMetrics(base.metrics.registry, backlog),
    [Symbol.asyncDispose]: async () => {
      media[Symbol.dispose]()
      await base[Symbol.asyncDispose]()
    },
  }
}

function openBase(config: SharedConfig, url: string, logger = openLogger(config.LOG_LEVEL)) {
  const database = new Database(
    {
      url,
      connectionsMax: config.DATABASE_CONNECTIONS_MAX,
      statementTimeoutSeconds: config.DATABASE_STATEMENT_TIMEOUT_SECONDS,
    },
    (error) => logger.warn({ err: error }, 'idle database connection failed'),
  )
  const publisher = startPublisher({
    database,
    onSequenced,
    onFailure: (err) => logger.warn({ err }, 'failed to sequence events; a worker will retry'),
  })
  const metrics = openMetrics(() => database.connections)
  const storage = { ...storageOptions(config), ...openStorageMetrics(metrics.registry) }
  const uploads = openUploads(config, storage, metrics.registry)
  let current: Phase = 'starting'
  return {
    logger,
    database,
    storage,
    uploads,
    version,
    metrics,
    phase: () => current,
    /** A process that is not serving reports that it is not ready; work in progress continues. */
    enter: (phase: Phase) => {
      current = phase
    },
    [Symbol.asyncDispose]: async () => {
      uploads.bucket[Symbol.dispose]()
      await publisher[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

function openUploads(config: SharedConfig, storage: StorageOptions, registry: Registry): Uploads {
  return {
    bucket: new UploadsBucket(storage),
    limits: {
      formBytesMax: config.UPLOAD_FORM_BYTES_MAX,
      partsBytesMax: config.UPLOAD_PARTS_BYTES_MAX,
      lifetimeSeconds: config.UPLOAD_LIFETIME_SECONDS,
      transferSecondsMax: config.UPLOAD_TRANSFER_SECONDS_MAX,
      firstCheckSeconds: config.UPLOAD_FIRST_CHECK_SECONDS,
    },
    metrics: openUploadMetrics(registry),
    hasDrm: config.DRM_PROVIDER !== 'none',
    takesForms: storage.takesForms,
  }
}
