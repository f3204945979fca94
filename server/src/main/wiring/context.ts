import type { Registry } from 'prom-client'
import { gaugeDamaged, openScrubMetrics } from '../../maintenance/scrub/scrub-metrics.ts'
import { gaugeUnsealed, openAuditMetrics } from '../../modules/audit/audit-metrics.ts'
import { AuditWriter } from '../../modules/audit/audit-writer.ts'
import { openChapterModel } from '../../modules/chapters/transcript/chapter-model.ts'
import { gaugeStreams } from '../../modules/event-stream/stream-metrics.ts'
import { unsequencedSeconds } from '../../modules/events/events.ts'
import { startPublisher } from '../../modules/events/publisher.ts'
import { openPipelineMetrics } from '../../modules/pipeline/pipeline-metrics.ts'
import { openPlaybackMetrics } from '../../modules/playback/playback-metrics.ts'
import { PlaybackAuthorizer, RevocationCache, TokenIssuer } from '../../modules/playback-tokens/playback-tokens.ts'
import { openMeanings } from '../../modules/search/semantic/meanings.ts'
import { openSessionCache } from '../../modules/sessions/session-principals.ts'
import { gaugeSuspensions } from '../../modules/suspension/suspension-metrics.ts'
import { openTokenCache } from '../../modules/tokens/token-principals.ts'
import { gaugeOverdue, openUploadMetrics } from '../../modules/upload-sessions/upload-metrics.ts'
import { overdueSeconds, type Uploads } from '../../modules/upload-sessions/upload-sessions.ts'
import { UsageCounter } from '../../modules/usage/usage.ts'
import { openDispatchMetrics } from '../../modules/webhook-dispatch/dispatch-metrics.ts'
import { fanOut, overdueWebhookSeconds } from '../../modules/webhooks/webhooks.ts'
import {
  type ApiConfig,
  findBackupStorageConfig,
  type SharedConfig,
  type WorkerConfig,
} from '../../platform/config/env.ts'
import { Database } from '../../platform/db/database.ts'
import { LastKnown } from '../../platform/db/last-known/last-known.ts'
import { gaugeWalReceiver } from '../../platform/db/wal-receiver.ts'
import { PublicRequests } from '../../platform/http/access/public-requests.ts'
import type { Phase } from '../../platform/http/health.ts'
import { exportQueueMetrics, openJobMetrics } from '../../platform/jobs/job-metrics.ts'
import { Mailer } from '../../platform/mail/mailer.ts'
import { embeddingsServerFor } from '../../platform/models/embeddings-server.ts'
import { type Logger, openLogger } from '../../platform/observability/logger.ts'
import { gaugeSeconds, openMetrics, openRequestMetrics } from '../../platform/observability/metrics.ts'
import type { StorageOptions } from '../../platform/storage/client.ts'
import { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { openStorageMetrics } from '../../platform/storage/storage-metrics.ts'
import { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { ThreadPool } from '../../platform/threads/thread-pool.ts'
import { version } from '../version.ts'
import { openStreams } from './event-streams.ts'
import { backupStorageOptions, storageOptions } from './storage-options.ts'

/** Shared dependencies of a process, opened from its settings and closed with it. */
export type BaseContext = ReturnType<typeof openBase>
export type Context = ReturnType<typeof openContext>
export type WorkerContext = ReturnType<typeof openWorkerContext>

export function openContext(config: ApiConfig, logger?: Logger) {
  const base = openBase(config, config.DATABASE_URL, logger)
  const tokenCache = openTokenCache(base.database, (err) =>
    base.logger.warn({ err }, 'failed to record the use of a token'),
  )
  const sessionCache = openSessionCache({
    database: base.database,
    idleSeconds: config.SESSION_IDLE_SECONDS,
    onError: (err) => base.logger.warn({ err }, 'failed to record the use of a session'),
  })
  const media = new MediaBucket(base.storage)
  const threads = new ThreadPool()
  const { SMTP_URL: url, MAIL_FROM: from } = config
  const mailer = url !== undefined && from !== undefined ? new Mailer({ url, from }) : undefined
  const tokenIssuer = new TokenIssuer({
    secret: config.PLAYBACK_SECRET,
    previousSecret: config.PLAYBACK_SECRET_PREVIOUS,
  })
  const lastKnown = new LastKnown(base.database, {
    seconds: config.PLAYBACK_OUTAGE_SECONDS,
    onUnavailable: (err) =>
      base.logger.warn({ err }, 'database unavailable; playback continues with the last known data'),
    onAvailable: () => base.logger.info('database available again; playback reads it'),
  })
  const revocations = RevocationCache.over(base.database, lastKnown)
  const streams = openStreams(config, base, ({ kind }) => (kind === 'member' ? sessionCache : tokenCache))
  const usage = new UsageCounter(base.database, (err) =>
    base.logger.warn({ err }, 'failed to record usage; will retry'),
  )
  const audit = new AuditWriter({
    database: base.database,
    onLost: openAuditMetrics(base.metrics.registry).countLost,
    onFailure: (err) => base.logger.warn({ err }, 'failed to write audit entries; will retry'),
  })
  gaugeStreams(base.metrics.registry, () => streams.openCount)
  // The API serves from the start: requests wait for the database if necessary.
  base.enter('serving')
  return {
    ...base,
    config,
    media,
    threads,
    tokenCache,
    sessionCache,
    tokenIssuer,
    lastKnown,
    revocations,
    streams,
    usage,
    audit,
    authorizer: new PlaybackAuthorizer(tokenIssuer, revocations),
    requestMetrics: openRequestMetrics(base.metrics.registry),
    playbackMetrics: openPlaybackMetrics(base.metrics.registry),
    publicRequests: new PublicRequests(config.FAILED_PLAYBACK_PER_MINUTE),
    mailer,
    ...openModels(config, base.logger),
    playbackOutageSeconds: config.PLAYBACK_OUTAGE_SECONDS,
    isStopping: () => base.phase() === 'stopping',
    [Symbol.asyncDispose]: async () => {
      media[Symbol.dispose]()
      mailer?.[Symbol.dispose]()
      await threads[Symbol.asyncDispose]()
      await streams[Symbol.asyncDispose]()
      await usage[Symbol.asyncDispose]()
      await audit[Symbol.asyncDispose]()
      await base[Symbol.asyncDispose]()
    },
  }
}

/** Servers that an operator may configure. */
const openModels = (config: ApiConfig, logger: Logger) => ({
  meanings: openMeanings(config, logger),
  chapterModel: openChapterModel(config, logger),
})

/** Exports the age of overdue work, even if no worker processes it. */
function gaugeBacklog({ metrics: { registry }, database }: BaseContext): void {
  gaugeSeconds(registry, {
    name: 'reelkeep_events_unsequenced_seconds',
    help: 'Age of the oldest event that is not sequenced.',
    query: () => unsequencedSeconds(database),
  })
  gaugeSeconds(registry, {
    name: 'reelkeep_webhooks_overdue_seconds',
    help: 'Time since the most overdue unclaimed webhook became due.',
    query: () => overdueWebhookSeconds(database),
  })
}

export function openWorkerContext(config: WorkerConfig) {
  const base = openBase(config, config.DATABASE_WORKER_URL)
  exportQueueMetrics(base.metrics.registry, base.database)
  gaugeOverdue(base.metrics.registry, () => overdueSeconds(base.database))
  gaugeBacklog(base)
  gaugeUnsealed(base.metrics.registry, base.database)
  gaugeSuspensions(base.metrics.registry, base.database)
  gaugeWalReceiver(base.metrics.registry, base.database)
  gaugeDamaged(base.metrics.registry, base.database)
  const media = new MediaBucket(base.storage)
  const backup = findBackupStorageConfig()
  const copies = backup && new MediaBucket(backupStorageOptions(backup))
  return {
    ...base,
    config,
    media,
    copies,
    embeddings: embeddingsServerFor(config),
    scrubMetrics: openScrubMetrics(base.metrics.registry),
    pipelineMetrics: openPipelineMetrics(base.metrics.registry),
    dispatchMetrics: openDispatchMetrics(base.metrics.registry),
    jobMetrics: openJobMetrics(base.metrics.registry),
    [Symbol.asyncDispose]: async () => {
      media[Symbol.dispose]()
      copies?.[Symbol.dispose]()
      await base[Symbol.asyncDispose]()
    },
  }
}

function openBase(config: SharedConfig, url: string, logger = openLogger(config.LOG_LEVEL)) {
  const database = new Database(
    {
      url,
      connectionsMax: config.DATABASE_CONNECTIONS_MAX,
      connectTimeoutSeconds: config.DATABASE_CONNECT_TIMEOUT_SECONDS,
      statementTimeoutSeconds: config.DATABASE_STATEMENT_TIMEOUT_SECONDS,
    },
    (error) => logger.warn({ err: error }, 'idle database connection failed'),
  )
  const publisher = startPublisher({
    database,
    onSequenced: fanOut,
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
    operationsToken: config.OPERATIONS_TOKEN,
    metrics,
    phase: () => current,
    /**
     * Sets the phase. Outside the phase `serving`, the process reports that it is not ready; work in progress
     * continues.
     */
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
      checkSecondsMax: config.UPLOAD_CHECK_SECONDS_MAX,
    },
    metrics: openUploadMetrics(registry),
    hasDrm: config.DRM_PROVIDER !== 'none',
    supportsForms: storage.supportsForms,
  }
}
