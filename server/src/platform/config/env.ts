/** The only file that reads the environment; other code gets its settings as parameters. */
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type QueueName, queueNames } from '../../kernel/queues.ts'
import { eventSettings, outlastsRetries, retriesError, streamSettings } from './event-settings.ts'
import { contactUrl, httpUrl, isOrigin, port, postgresServersUrl, seconds, splitList } from './fields.ts'
import { keyRing } from './key-settings.ts'
import { hasMailSender, mailSenderError, mailSettings } from './mail/mail-settings.ts'
import { chapterSettings } from './providers/chapter-settings.ts'
import { drmSettings, hasSpekeUrl, keyProviderSettings, spekeUrlError } from './providers/drm-settings.ts'
import { embeddingSettings } from './providers/embedding-settings.ts'
import { withSecretsFromFiles } from './secret-files.ts'
import { sessionSettings, signInSettings } from './sign-in-settings.ts'
import {
  backupStorageSettings,
  eventsSecret,
  hasWholeUploadKey,
  preventsReplacement,
  replacementError,
  storageSettings,
  storageSetupSettings,
  uploadKeyError,
  uploadKeySettings,
} from './storage-settings.ts'
import { traceSettings } from './trace-settings.ts'
import { sweepSettings, uploadSettings } from './upload-settings.ts'
import { dispatcherSettings, webhookSettings } from './webhook-settings.ts'
import {
  hasTranscriberUrl,
  intervalSettings,
  leaseError,
  outlastsHeartbeats,
  scrubSettings,
  transcriberSettings,
  transcriberUrlError,
} from './worker-settings.ts'

/** Settings of the API and the workers. */
const shared = {
  DATABASE_CONNECTIONS_MAX: z.coerce.number().int().min(4).max(500).default(16),
  /** Maximum wait for a connection. A longer wait means that Postgres is unavailable or overloaded. */
  DATABASE_CONNECT_TIMEOUT_SECONDS: seconds(60).default(5),
  DATABASE_STATEMENT_TIMEOUT_SECONDS: seconds(600).default(10),
  HOST: z.string().min(1).default('127.0.0.1'),
  /** Bearer token for metrics and diagnostics on the operations ports. Without it, they need no authentication. */
  OPERATIONS_TOKEN: z.string().min(32, 'must have at least 32 characters').max(256).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Keys that encrypt the keys of protected videos. If they are lost, those videos are lost. */
  KEY_ENCRYPTION_KEYS: keyRing,
  ...drmSettings,
  ...storageSettings,
  ...uploadSettings,
  ...webhookSettings,
  ...embeddingSettings,
  ...traceSettings,
}

/** URL at which clients reach the API; `next` and `previous` begin with it. */
const publicUrl = httpUrl.default('http://127.0.0.1:8080')
const playbackSecret = z.string().min(32, 'must have at least 32 characters').max(256)
/** Folder of the built player, the output of `pnpm --filter @reelkeep/player build`. */
const builtPlayer = fileURLToPath(new URL('../../../../player/dist/', import.meta.url))
/** Folder of the built dashboard, the output of `pnpm --filter @reelkeep/dashboard build`. */
const builtDashboard = fileURLToPath(new URL('../../../../dashboard/dist/', import.meta.url))
/** Folder of the built documentation site, the output of `pnpm --filter @reelkeep/site build`. */
const builtDocs = fileURLToPath(new URL('../../../../site/dist/', import.meta.url))

const perMinute = z.coerce.number().int().min(1).max(100_000_000)

const rateLimitSettings = {
  /** Points of an organization. A request uses one point, and more if its body is large or it takes seconds. */
  RATE_LIMIT_PER_MINUTE: perMinute.default(6000),
  /** Points of an API token. */
  RATE_LIMIT_PER_TOKEN_PER_MINUTE: perMinute.optional(),
  /** Where the points are counted: by each instance, or for all instances. */
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres']).default('memory'),
  /** Requests without a valid token, by IP address. Each one costs a database query. */
  FAILED_AUTHENTICATIONS_PER_MINUTE: perMinute.default(60),
  /** Public requests for videos that do not exist or are not accessible, by IP address. */
  FAILED_PLAYBACK_PER_MINUTE: perMinute.default(600),
}

const apiSettings = z.object({
  DATABASE_URL: postgresServersUrl,
  PORT: port.default(8080),
  /** Port of metrics, health checks and storage notifications; for the operator's network only. */
  OPERATIONS_PORT: port.default(8081),
  PUBLIC_URL: publicUrl,
  /** URL at which players reach playback; may be another origin in front of the same `/play`. */
  PLAYBACK_URL: httpUrl.optional(),
  /** Secret that signs playback tokens and must be equal in all instances. It gives access to every video. */
  PLAYBACK_SECRET: playbackSecret,
  /** The previous PLAYBACK_SECRET; tokens signed with it are still valid. */
  PLAYBACK_SECRET_PREVIOUS: playbackSecret.optional(),
  /** How long viewers continue to watch while Postgres is unavailable; 0: not at all. */
  PLAYBACK_OUTAGE_SECONDS: z.coerce.number().int().min(0).max(3600).default(900),
  ...rateLimitSettings,
  /** Number of trusted proxies in front of the API, for determining the client's address. */
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /** How long a stopping instance serves requests after it reports that it is not ready. */
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(300).default(5),
  /** Origins that may call the API from a browser. */
  API_ORIGINS: z
    .string()
    .default('')
    .transform(splitList)
    .refine((origins) => origins.every(isOrigin), 'must be origins such as https://video.example'),
  /** Where to report vulnerabilities of this installation, for `/.well-known/security.txt`. */
  SECURITY_CONTACT: contactUrl.optional(),
  /** Folder of the built player for the embed page. */
  PLAYER_FOLDER: z.string().min(1).default(builtPlayer),
  /** Folder of the built dashboard. */
  DASHBOARD_FOLDER: z.string().min(1).default(builtDashboard),
  /** Folder of the built documentation site. */
  DOCS_FOLDER: z.string().min(1).default(builtDocs),
  /** Secret in the URL for storage notifications. If it is not set, notifications are not accepted. */
  STORAGE_EVENTS_SECRET: eventsSecret.optional(),
  ...uploadKeySettings,
  ...streamSettings,
  ...mailSettings,
  ...sessionSettings,
  ...signInSettings,
  ...chapterSettings,
  ...shared,
})
const apiSchema = apiSettings
  .refine(preventsReplacement, replacementError)
  .refine(hasWholeUploadKey, uploadKeyError)
  .refine(hasMailSender, mailSenderError)
  .transform(({ PLAYBACK_URL, ...rest }) => ({
    ...rest,
    PLAYBACK_URL: PLAYBACK_URL ?? `${rest.PUBLIC_URL}/play`,
  }))

const areQueues = (names: string[]): names is QueueName[] =>
  names.length > 0 && names.every((name) => queueNames.some((queue) => queue === name))

const workerSchema = z
  .object({
    DATABASE_WORKER_URL: postgresServersUrl,
    WORKER_OPERATIONS_PORT: port.default(8082),
    /** A worker that restarts with the same id recovers its jobs at once. */
    WORKER_ID: z.string().min(1).max(200).optional(),
    /** How long a stopping worker waits for its running jobs. */
    WORKER_DRAIN_SECONDS: z.coerce.number().int().min(0).max(3600).default(30),
    /** Queues that this worker serves, for example to dedicate machines to encoding. Default: all. */
    WORKER_QUEUES: z
      .string()
      .default(queueNames.join(','))
      .transform((text) => [...new Set(splitList(text))])
      .refine(areQueues, `must be some of ${queueNames.join(', ')}, separated by commas`),
    /** Sandbox of FFmpeg. `none` only if the operator isolates the worker otherwise: uploads are untrusted. */
    MEDIA_SANDBOX: z.enum(['bubblewrap', 'none']).default('bubblewrap'),
    ...intervalSettings,
    ...eventSettings,
    ...transcriberSettings,
    ...scrubSettings,
    ...keyProviderSettings,
    ...sweepSettings,
    ...dispatcherSettings,
    ...shared,
  })
  .refine(hasTranscriberUrl, transcriberUrlError)
  .refine(hasSpekeUrl, spekeUrlError)
  .refine(outlastsRetries, retriesError)
  .refine(outlastsHeartbeats, leaseError)
  .refine(preventsReplacement, replacementError)
  // Workers on the same machine have different ports, so the default id is unique.
  .transform(({ WORKER_ID, ...rest }) => ({
    ...rest,
    WORKER_ID: WORKER_ID ?? `${hostname()}-${rest.WORKER_OPERATIONS_PORT}`,
  }))

const storageSetupSchema = z
  .object(storageSetupSettings)
  .refine(({ STORAGE_EVENTS_URL: url, STORAGE_EVENTS_SECRET: secret }) => !url || secret, {
    path: ['STORAGE_EVENTS_SECRET'],
    message: 'is required with STORAGE_EVENTS_URL',
  })
  .refine(preventsReplacement, replacementError)
  .refine(hasWholeUploadKey, uploadKeyError)
const adminSchema = z.object({
  DATABASE_OWNER_URL: postgresServersUrl,
  /** URL of the API, printed when an organization is created. */
  PUBLIC_URL: publicUrl,
  /** The operator's keys, needed by admin commands that rotate or rewrap keys. */
  KEY_ENCRYPTION_KEYS: keyRing.optional(),
})
/** Settings of admin commands that maintain storage or its backup. */
const storageSchema = z.object(storageSettings)
const backupStorageSchema = z.object(backupStorageSettings)

/** Settings of admin commands that manage cells. */
const cellsSchema = z.object({ CELLS_FILE: z.string().min(1) })

export type ApiConfig = z.infer<typeof apiSchema>
export type WorkerConfig = z.infer<typeof workerSchema>
export type SharedConfig = Pick<ApiConfig & WorkerConfig, keyof typeof shared>
export type StorageSetupConfig = z.infer<typeof storageSetupSchema>
export type StorageConfig = z.infer<typeof storageSchema>
/** The upload key, which only the API and the storage commands have. */
export type UploadKeyConfig = Pick<StorageSetupConfig, keyof typeof uploadKeySettings>
export type BackupStorageConfig = z.infer<typeof backupStorageSchema>
export type AdminConfig = z.infer<typeof adminSchema>
export type CellsConfig = z.infer<typeof cellsSchema>

export const readApiConfig = (env = process.env): ApiConfig => parse(apiSchema, env)
export const readWorkerConfig = (env = process.env): WorkerConfig => parse(workerSchema, env)
export const readStorageSetupConfig = (env = process.env): StorageSetupConfig => parse(storageSetupSchema, env)
export const readAdminConfig = (env = process.env): AdminConfig => parse(adminSchema, env)
export const readStorageConfig = (env = process.env): StorageConfig => parse(storageSchema, env)
export const readBackupStorageConfig = (env = process.env): BackupStorageConfig => parse(backupStorageSchema, env)
/** Undefined if there is no backup of storage. */
export const findBackupStorageConfig = (env = process.env): BackupStorageConfig | undefined =>
  env['BACKUP_STORAGE_ENDPOINT'] ? readBackupStorageConfig(env) : undefined
export const readCellsConfig = (env = process.env): CellsConfig => parse(cellsSchema, env)

/** Invalid settings; the message lists all of them without their values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The settings that each kind of process reads; a test compares the deployments with it. */
export const settingNames = {
  api: namesOf(apiSchema),
  worker: namesOf(workerSchema),
  'setup-storage': namesOf(storageSetupSchema),
  admin: namesOf(adminSchema).union(namesOf(storageSchema)).union(namesOf(backupStorageSchema)),
} as const

function namesOf(schema: z.ZodType): ReadonlySet<string> {
  if (schema instanceof z.ZodPipe) return namesOf(schema.in as z.ZodType)
  return new Set(schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])
}

function parse<Schema extends z.ZodType>(schema: Schema, env: NodeJS.ProcessEnv): z.infer<Schema> {
  // Shells and Compose files use an empty variable for "not set".
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const { settings, errors: fileErrors } = withSecretsFromFiles(set, namesOf(schema))
  const parsed = schema.safeParse(settings)
  if (parsed.success && fileErrors.length === 0) return parsed.data
  const formatErrors = (parsed.error?.issues ?? []).map((issue) => {
    const name = issue.path.join('.')
    const isSet = settings[name] !== undefined
    return { name, message: isSet ? issue.message : 'is required but not set' }
  })
  // A setting whose file cannot be read is not also reported as missing.
  const isReported = (name: string) => fileErrors.some((error) => error.name === `${name}_FILE`)
  const errors = [...fileErrors, ...formatErrors.filter(({ name }) => !isReported(name))]
  const lines = errors.map(({ name, message }) => `  ${name}: ${message}`)
  throw new ConfigError(`Invalid settings:\n${lines.join('\n')}`)
}
