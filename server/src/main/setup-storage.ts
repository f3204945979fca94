/** `node server/src/main/setup-storage.ts`: creates the buckets and their settings. Idempotent. */
import { storageNotificationsPath } from '../capabilities/upload-sessions/storage-notifications.rules.ts'
import {
  ConfigError,
  readStorageSetupConfig,
  type StorageSetupConfig,
} from '../platform/config/env.ts'
import { setUpStorage } from '../platform/storage/setup.ts'
import { explainSetupError } from '../platform/storage/setup-errors.ts'
import { storageOptions } from './storage-options.ts'
import type { Surroundings } from './surroundings.ts'

export async function setupStorage(around: Surroundings): Promise<void> {
  try {
    const config = readStorageSetupConfig(around.env)
    const input = { origins: config.UPLOAD_ORIGINS, eventsUrl: eventsUrl(config) }
    await setUpStorage(storageOptions(config), input, (done) => around.stdout.write(`${done}\n`))
  } catch (error) {
    const why = error instanceof ConfigError ? error.message : explainSetupError(error as Error)
    around.stderr.write(`reelkeep setup-storage: ${why}\n`)
    around.exitCode = 1
  }
}

function eventsUrl(config: StorageSetupConfig): string | undefined {
  const { STORAGE_EVENTS_URL: url, STORAGE_EVENTS_SECRET: secret } = config
  return url && secret && `${url}${storageNotificationsPath(secret)}`
}

if (import.meta.main) await setupStorage(process)
