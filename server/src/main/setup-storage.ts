/** `node server/src/main/setup-storage.ts`: creates the buckets and their settings. Idempotent. */
import { storageNotificationsPath } from '../modules/upload-sessions/notifications/storage-notifications.rules.ts'
import { readStorageSetupConfig, type StorageSetupConfig } from '../platform/config/env.ts'
import { setUpStorage } from '../platform/storage/setup/setup.ts'
import { explainSetupError } from '../platform/storage/setup/setup-errors.ts'
import { type CommandIo, printErrors } from './command-io.ts'
import { storageOptions } from './wiring/storage-options.ts'

export const setupStorage = (io: CommandIo): Promise<void> =>
  printErrors({ name: 'setup-storage', usage: '', explain: explainSetupError }, io, async () => {
    const config = readStorageSetupConfig(io.env)
    const input = { origins: config.UPLOAD_ORIGINS, eventsUrl: eventsUrl(config) }
    await setUpStorage(storageOptions(config), input, (line) => io.stdout.write(`${line}\n`))
  })

function eventsUrl(config: StorageSetupConfig): string | undefined {
  const { STORAGE_EVENTS_URL: url, STORAGE_EVENTS_SECRET: secret } = config
  return url && secret && `${url}${storageNotificationsPath(secret)}`
}

if (import.meta.main) await setupStorage(process)
