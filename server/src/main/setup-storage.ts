/** `node server/src/main/setup-storage.ts`: makes the buckets and their settings; safe to run again. */
import { storageEventsPath } from '../capabilities/upload-sessions/upload-events.rules.ts'
import {
  ConfigError,
  readStorageSetupConfig,
  type StorageSetupConfig,
} from '../platform/config/env.ts'
import { setUpStorage } from '../platform/storage/setup.ts'
import { explainSetupFault } from '../platform/storage/setup-faults.ts'
import { storageOptions } from './storage-options.ts'
import type { Surroundings } from './surroundings.ts'

export async function setupStorage(around: Surroundings): Promise<void> {
  try {
    const config = readStorageSetupConfig(around.env)
    const wish = { origins: config.UPLOAD_ORIGINS, eventsUrl: eventsUrl(config) }
    await setUpStorage(storageOptions(config), wish, (done) => around.stdout.write(`${done}\n`))
  } catch (error) {
    const why = error instanceof ConfigError ? error.message : explainSetupFault(error as Error)
    around.stderr.write(`reelkeep setup-storage: ${why}\n`)
    around.exitCode = 1
  }
}

function eventsUrl(config: StorageSetupConfig): string | undefined {
  const { STORAGE_EVENTS_URL: url, STORAGE_EVENTS_SECRET: secret } = config
  return url && secret && `${url}${storageEventsPath(secret)}`
}

if (import.meta.main) await setupStorage(process)
