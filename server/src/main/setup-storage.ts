/** `node server/src/main/setup-storage.ts`: makes the buckets and their settings; safe to run again. */
import { storageEventsPath } from '../capabilities/upload-sessions/upload-events.routes.ts'
import {
  ConfigError,
  readStorageSetupConfig,
  type StorageSetupConfig,
} from '../platform/config/env.ts'
import { setUpStorage } from '../platform/storage/setup.ts'
import { explainSetupFault } from '../platform/storage/setup-faults.ts'
import { storageOptions } from './storage-options.ts'

function eventsUrl(config: StorageSetupConfig): string | undefined {
  const { STORAGE_EVENTS_URL: url, STORAGE_EVENTS_SECRET: secret } = config
  return url && secret && `${url}${storageEventsPath(secret)}`
}

try {
  const config = readStorageSetupConfig()
  const wish = { origins: config.UPLOAD_ORIGINS, eventsUrl: eventsUrl(config) }
  await setUpStorage(storageOptions(config), wish, (done) => process.stdout.write(`${done}\n`))
} catch (error) {
  const why = error instanceof ConfigError ? error.message : explainSetupFault(error as Error)
  process.stderr.write(`reelkeep setup-storage: ${why}\n`)
  process.exitCode = 1
}
