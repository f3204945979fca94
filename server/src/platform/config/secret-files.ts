/**
 * Secrets from files: for a setting `NAME` that is a secret, `NAME_FILE` may name a file that holds
 * its value. Environments are copied into crash reports and shown by `docker inspect`; files that
 * Compose and Kubernetes mount are not.
 */
import { readFileSync, statSync } from 'node:fs'

/** Every setting that is a secret, or holds one. */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_WORKER_URL',
  'DATABASE_OWNER_URL',
  'KEY_ENCRYPTION_KEYS',
  'PLAYBACK_SECRET',
  'PLAYBACK_SECRET_PREVIOUS',
  'STORAGE_ACCESS_KEY_ID',
  'STORAGE_SECRET_ACCESS_KEY',
  'STORAGE_EVENTS_SECRET',
  'BACKUP_STORAGE_ACCESS_KEY_ID',
  'BACKUP_STORAGE_SECRET_ACCESS_KEY',
  'RECOGNISER_KEY',
  'SPEKE_USERNAME',
  'SPEKE_PASSWORD',
  'SPEKE_HEADER',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const

/** Far above any secret; whoever names the wrong file is told so instead of having it read. */
const SECRET_BYTES_MAX = 65_536

type Settings = Readonly<Record<string, string | undefined>>
export type SecretsRead = { readonly settings: Settings; readonly faults: readonly Fault[] }
type Fault = { readonly name: string; readonly message: string }

/** The settings with what files hold in place, of those secrets that are wanted. No fault tells a value or a path. */
export function withSecretsFromFiles(given: Settings, wanted: ReadonlySet<string>): SecretsRead {
  const settings = { ...given }
  const faults: Fault[] = []
  for (const name of secretSettings.filter((secret) => wanted.has(secret))) {
    const path = given[`${name}_FILE`]
    if (path === undefined) continue
    if (given[name] === undefined) {
      const { value, fault } = readSecret(path)
      settings[name] = value
      if (fault !== undefined) faults.push({ name: `${name}_FILE`, message: fault })
    } else {
      faults.push({ name, message: `is set, and so is ${name}_FILE; set one of them` })
    }
  }
  return { settings, faults }
}

function readSecret(path: string): { readonly value?: string; readonly fault?: string } {
  try {
    const { size } = statSync(path)
    if (size > SECRET_BYTES_MAX)
      return { fault: `names a file of more than ${SECRET_BYTES_MAX} bytes` }
    const value = readFileSync(path, 'utf8').trim()
    return value === '' ? { fault: 'names a file that is empty' } : { value }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { fault: `names a file that cannot be read (${code})` }
  }
}
