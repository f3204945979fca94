import {
  readAdminConfig,
  readApiConfig,
  readBackupStorageConfig,
  readStorageConfig,
  readStorageSetupConfig,
  readWorkerConfig,
  settingNames,
} from '@reelkeep/server/platform/config/env.ts'
import { secretSettings } from '@reelkeep/server/platform/config/secret-files.ts'

/** The configuration reader of each command of the image. */
const commands = {
  api: { names: settingNames.api, read: readApiConfig },
  worker: { names: settingNames.worker, read: readWorkerConfig },
  'setup-storage': { names: settingNames['setup-storage'], read: readStorageSetupConfig },
  migrate: { names: settingNames.admin, read: readAdminConfig },
  admin: { names: settingNames.admin, read: readAdminConfig },
} as const

export type Command = keyof typeof commands
export type Environment = Readonly<Record<string, string>>

export const isCommand = (text: unknown): text is Command => typeof text === 'string' && Object.hasOwn(commands, text)

/** A valid value for each secret, as if read from its file. */
const secretValues: Readonly<Record<(typeof secretSettings)[number], string>> = {
  DATABASE_URL: 'postgres://reelkeep_api:x@db.example/reelkeep',
  DATABASE_WORKER_URL: 'postgres://reelkeep_worker:x@db.example/reelkeep',
  DATABASE_OWNER_URL: 'postgres://reelkeep_owner:x@db.example/reelkeep',
  KEY_ENCRYPTION_KEYS: `2026:${Buffer.alloc(32).toString('base64')}`,
  PLAYBACK_SECRET: 'x'.repeat(32),
  PLAYBACK_SECRET_PREVIOUS: 'y'.repeat(32),
  STORAGE_ACCESS_KEY_ID: 'x',
  STORAGE_SECRET_ACCESS_KEY: 'x',
  STORAGE_UPLOAD_ACCESS_KEY_ID: 'y',
  STORAGE_UPLOAD_SECRET_ACCESS_KEY: 'y',
  STORAGE_EVENTS_SECRET: 'x'.repeat(32),
  OPERATIONS_TOKEN: 'x'.repeat(32),
  BACKUP_STORAGE_ACCESS_KEY_ID: 'x',
  BACKUP_STORAGE_SECRET_ACCESS_KEY: 'x',
  TRANSCRIBER_KEY: 'x',
  EMBEDDINGS_KEY: 'x',
  CHAPTERS_KEY: 'x',
  SPEKE_USERNAME: 'x',
  SPEKE_PASSWORD: 'x',
  SPEKE_HEADER: 'x: x',
  OTEL_EXPORTER_OTLP_HEADERS: 'x=x',
  OIDC_PROVIDERS: '[]',
}

/** Paths of trusted certificates, which Node and the migration program read. */
const readByOthers: ReadonlySet<string> = new Set(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])

const secretNamed = (variable: string) => secretSettings.find((secret) => variable === `${secret}_FILE`)

/** Settings of a container that its command does not read, and secrets that do not come from a file. */
export function strangersIn(command: Command, environment: Environment): string[] {
  const { names } = commands[command]
  const ours = Object.keys(environment).filter((variable) => !readByOthers.has(variable))
  return ours.filter((variable) => {
    const setting = secretNamed(variable) ?? variable
    const isOpenSecret = secretSettings.some((secret) => secret === variable)
    return !names.has(setting) || isOpenSecret
  })
}

/** Reads the settings of the command from this environment; throws the error of the service if one is invalid. */
export function startWith(command: Command, environment: Environment): unknown {
  return commands[command].read(withSecrets(environment))
}

/** The settings that the admin commands for storage backups and keys read; throws if one is invalid. */
export function administerWith(environment: Environment) {
  const settings = withSecrets(environment)
  return {
    ...readAdminConfig(settings),
    ...readStorageConfig(settings),
    ...readBackupStorageConfig(settings),
  }
}

function withSecrets(environment: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== '')
  const settings = given.map(([variable, value]) => {
    const secret = secretNamed(variable)
    return secret === undefined ? [variable, value] : [secret, secretValues[secret]]
  })
  return Object.fromEntries(settings) as Environment
}
