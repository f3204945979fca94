/**
 * Secrets from files: for a secret setting `NAME`, `NAME_FILE` may be the path of a file with its value.
 * Environment variables appear in crash reports and in `docker inspect`; mounted files do not.
 */
import { readFileSync, statSync } from 'node:fs'

/** Every setting that is or contains a secret. */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_WORKER_URL',
  'DATABASE_OWNER_URL',
  'KEY_ENCRYPTION_KEYS',
  'PLAYBACK_SECRET',
  'PLAYBACK_SECRET_PREVIOUS',
  'STORAGE_ACCESS_KEY_ID',
  'STORAGE_SECRET_ACCESS_KEY',
  'STORAGE_UPLOAD_ACCESS_KEY_ID',
  'STORAGE_UPLOAD_SECRET_ACCESS_KEY',
  'STORAGE_EVENTS_SECRET',
  'OPERATIONS_TOKEN',
  'BACKUP_STORAGE_ACCESS_KEY_ID',
  'BACKUP_STORAGE_SECRET_ACCESS_KEY',
  'TRANSCRIBER_KEY',
  'EMBEDDINGS_KEY',
  'CHAPTERS_KEY',
  'SPEKE_USERNAME',
  'SPEKE_PASSWORD',
  'SPEKE_HEADER',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OIDC_PROVIDERS',
] as const

/** The upload key is optional: an empty file counts as not set. Compose files always mount both files. */
const optionalSecrets: readonly string[] = ['STORAGE_UPLOAD_ACCESS_KEY_ID', 'STORAGE_UPLOAD_SECRET_ACCESS_KEY']

/** Maximum size of a file with a secret, far above that of any secret. Protects against a wrong, large file. */
const SECRET_BYTES_MAX = 65_536

type Settings = Readonly<Record<string, string | undefined>>
export type SecretsRead = { readonly settings: Settings; readonly errors: readonly SettingError[] }
type SettingError = { readonly name: string; readonly message: string }

/** Returns the settings plus the wanted secrets from `*_FILE`. Error messages contain no value and no path. */
export function withSecretsFromFiles(given: Settings, wanted: ReadonlySet<string>): SecretsRead {
  const settings = { ...given }
  const errors: SettingError[] = []
  for (const name of secretSettings.filter((secret) => wanted.has(secret))) {
    const path = given[`${name}_FILE`]
    if (path === undefined) continue
    if (given[name] === undefined) {
      const { value, error } = readSecret(path, optionalSecrets.includes(name))
      settings[name] = value
      if (error !== undefined) errors.push({ name: `${name}_FILE`, message: error })
    } else {
      errors.push({ name, message: `and ${name}_FILE are both set; set only one of them` })
    }
  }
  return { settings, errors }
}

function readSecret(path: string, isOptional: boolean): { readonly value?: string; readonly error?: string } {
  try {
    const { size } = statSync(path)
    if (size > SECRET_BYTES_MAX) return { error: `is the path of a file of more than ${SECRET_BYTES_MAX} bytes` }
    const value = readFileSync(path, 'utf8').trim()
    if (value === '' && isOptional) return {}
    return value === '' ? { error: 'is the path of an empty file' } : { value }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { error: `is the path of a file that cannot be read (${code})` }
  }
}
