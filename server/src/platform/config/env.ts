/** The only file that reads the environment. Everything else is handed its settings. */
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type QueueName, queueNames } from '../jobs/queues.ts'
import { drmSettings, hasSpekeUrl, keyProviderSettings, spekeUrlFault } from './drm-settings.ts'
import { eventSettings, outlastsRetries, retriesFault, streamSettings } from './event-settings.ts'
import { httpUrl, isOrigin, listed, port, postgresUrl, seconds } from './fields.ts'
import { keyRing } from './key-settings.ts'
import { hasRecogniserUrl, recogniserSettings, recogniserUrlFault } from './recogniser-settings.ts'
import { withSecretsFromFiles } from './secret-files.ts'
import {
  backupStorageSettings,
  eventsSecret,
  isSafeFromReplacing,
  replacingFault,
  storageSettings,
  storageSetupSettings,
} from './storage-settings.ts'
import { traceSettings } from './trace-settings.ts'
import { sweepSettings, uploadSettings } from './upload-settings.ts'
import { courierSettings, webhookSettings } from './webhook-settings.ts'

/** What every process of the service needs. */
const shared = {
  DATABASE_CONNECTIONS_MAX: z.coerce.number().int().min(4).max(500).default(16),
  DATABASE_STATEMENT_TIMEOUT_SECONDS: seconds(600).default(10),
  HOST: z.string().min(1).default('127.0.0.1'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** What the keys of protected videos are kept under. Lost, and those videos are lost. */
  KEY_ENCRYPTION_KEYS: keyRing,
  ...drmSettings,
  ...storageSettings,
  ...uploadSettings,
  ...webhookSettings,
  ...traceSettings,
}

/** How callers reach the API; `next` and `previous` begin with it. */
const publicUrl = httpUrl.default('http://127.0.0.1:8080')
const playbackSecret = z.string().min(32, 'must have at least 32 characters').max(256)
/** Where `pnpm build:player` puts it. */
const builtPlayer = fileURLToPath(new URL('../../../../player/dist/', import.meta.url))

const apiSettings = z.object({
  DATABASE_URL: postgresUrl,
  PORT: port.default(8080),
  /** Metrics, health and storage's notifications, for the operator's network only. */
  OPERATIONS_PORT: port.default(8081),
  PUBLIC_URL: publicUrl,
  /** How viewers reach what they play; it may be an origin of its own, before the same `/play`. */
  PLAYBACK_URL: httpUrl.optional(),
  /** Passes to videos are signed with it. All instances have the same, and whoever has it watches everything. */
  PLAYBACK_SECRET: playbackSecret,
  /** The one before it: what was signed with it still counts. */
  PLAYBACK_SECRET_PREVIOUS: playbackSecret.optional(),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).max(100_000_000).default(6000),
  /** How many proxies stand in front; the caller's address is taken from beyond them. */
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /** How long a stopping instance goes on serving after it has said that it is not ready. */
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(300).default(5),
  /** Pages of these origins may call the API from a browser. */
  API_ORIGINS: z
    .string()
    .default('')
    .transform(listed)
    .refine((origins) => origins.every(isOrigin), 'must be origins such as https://video.example'),
  /** Where the built player lies, which the hosted page loads. */
  PLAYER_FOLDER: z.string().min(1).default(builtPlayer),
  /** Absent: storage's notifications are not taken. */
  STORAGE_EVENTS_SECRET: eventsSecret.optional(),
  ...streamSettings,
  ...shared,
})
const apiSchema = apiSettings
  .refine(isSafeFromReplacing, replacingFault)
  .transform(({ PLAYBACK_URL, ...rest }) => ({
    ...rest,
    PLAYBACK_URL: PLAYBACK_URL ?? `${rest.PUBLIC_URL}/play`,
  }))

const areQueues = (names: string[]): names is QueueName[] =>
  names.length > 0 && names.every((name) => queueNames.some((queue) => queue === name))

const workerSchema = z
  .object({
    DATABASE_WORKER_URL: postgresUrl,
    WORKER_OPERATIONS_PORT: port.default(8082),
    /** Who this worker is. One that starts again under its name takes up at once what it left. */
    WORKER_ID: z.string().min(1).max(200).optional(),
    /** How long a stopping worker waits for the jobs that run. */
    WORKER_DRAIN_SECONDS: z.coerce.number().int().min(0).max(3600).default(30),
    /** What this worker takes up, so that some machines may do nothing but encode; all of it unless told otherwise. */
    WORKER_QUEUES: z
      .string()
      .default(queueNames.join(','))
      .transform((text) => [...new Set(listed(text))])
      .refine(areQueues, `must be some of ${queueNames.join(', ')}, with commas between`),
    /**
     * `none` where the operator has shut the worker in by other means: uploaded files are
     * anybody's, and so is what is in them.
     */
    MEDIA_SANDBOX: z.enum(['bubblewrap', 'none']).default('bubblewrap'),
    ...eventSettings,
    ...recogniserSettings,
    ...keyProviderSettings,
    ...sweepSettings,
    ...courierSettings,
    ...shared,
  })
  .refine(hasRecogniserUrl, recogniserUrlFault)
  .refine(hasSpekeUrl, spekeUrlFault)
  .refine(outlastsRetries, retriesFault)
  .refine(isSafeFromReplacing, replacingFault)
  // Two workers on a machine cannot have the same port, so they do not have the same name either.
  .transform(({ WORKER_ID, ...rest }) => ({
    ...rest,
    WORKER_ID: WORKER_ID ?? `${hostname()}-${rest.WORKER_OPERATIONS_PORT}`,
  }))

const storageSetupSchema = z
  .object(storageSetupSettings)
  .refine(({ STORAGE_EVENTS_URL: url, STORAGE_EVENTS_SECRET: secret }) => !url || secret, {
    path: ['STORAGE_EVENTS_SECRET'],
    message: 'is needed with STORAGE_EVENTS_URL',
  })
  .refine(isSafeFromReplacing, replacingFault)
const adminSchema = z.object({
  DATABASE_OWNER_URL: postgresUrl,
  /** Told to whoever gets a new organization. */
  PUBLIC_URL: publicUrl,
  /** For the commands that handle keys. */
  KEY_ENCRYPTION_KEYS: keyRing.optional(),
})
/** For the commands of the administrator that look after storage, and those that look after its backup. */
const storageSchema = z.object(storageSettings)
const backupStorageSchema = z.object(backupStorageSettings)

/** For the commands that see to all cells. */
const cellsSchema = z.object({ CELLS_FILE: z.string().min(1) })

export type ApiConfig = z.infer<typeof apiSchema>
export type WorkerConfig = z.infer<typeof workerSchema>
export type SharedConfig = Pick<ApiConfig & WorkerConfig, keyof typeof shared>
export type StorageSetupConfig = z.infer<typeof storageSetupSchema>
export type StorageConfig = z.infer<typeof storageSchema>
export type BackupStorageConfig = z.infer<typeof backupStorageSchema>
export type AdminConfig = z.infer<typeof adminSchema>
export type CellsConfig = z.infer<typeof cellsSchema>

export const readApiConfig = (env = process.env): ApiConfig => parse(apiSchema, env)
export const readWorkerConfig = (env = process.env): WorkerConfig => parse(workerSchema, env)
export const readStorageSetupConfig = (env = process.env): StorageSetupConfig =>
  parse(storageSetupSchema, env)
export const readAdminConfig = (env = process.env): AdminConfig => parse(adminSchema, env)
export const readStorageConfig = (env = process.env): StorageConfig => parse(storageSchema, env)
export const readBackupStorageConfig = (env = process.env): BackupStorageConfig =>
  parse(backupStorageSchema, env)
export const readCellsConfig = (env = process.env): CellsConfig => parse(cellsSchema, env)

/** Settings that cannot be used; the message lists every one of them, and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Which settings each kind of process reads; a test holds what deployments set against it. */
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
  // An empty variable is how shells and Compose files say "not set".
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const { settings, faults: fileFaults } = withSecretsFromFiles(set, namesOf(schema))
  const parsed = schema.safeParse(settings)
  if (parsed.success && fileFaults.length === 0) return parsed.data
  const formFaults = (parsed.error?.issues ?? []).map((issue) => {
    const name = issue.path.join('.')
    const isSet = settings[name] !== undefined
    return { name, message: isSet ? issue.message : 'is required but not set' }
  })
  // Of a setting whose file cannot be read, that it is missing goes without saying.
  const isTold = (name: string) => fileFaults.some((fault) => fault.name === `${name}_FILE`)
  const faults = [...fileFaults, ...formFaults.filter(({ name }) => !isTold(name))]
  const lines = faults.map(({ name, message }) => `  ${name}: ${message}`)
  throw new ConfigError(`These settings need mending:\n${lines.join('\n')}`)
}
