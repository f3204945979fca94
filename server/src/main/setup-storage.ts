/**
 * `node server/src/main/setup-storage.ts [--wait SECONDS]`: creates the buckets and their settings. Idempotent. With
 * `--wait`, storage may start at the same time as this command.
 */
import { parseArgs } from 'node:util'
import { retryWhile } from '../kernel/retry.ts'
import { storageNotificationsPath } from '../modules/upload-sessions/notifications/storage-notifications.rules.ts'
import { readStorageSetupConfig, type StorageSetupConfig } from '../platform/config/env.ts'
import { isStorageStarting } from '../platform/storage/availability.ts'
import { setUpStorage } from '../platform/storage/setup/setup.ts'
import { explainSetupError } from '../platform/storage/setup/setup-errors.ts'
import { type CommandIo, printErrors, UsageError } from './command-io.ts'
import { storageOptions } from './wiring/storage-options.ts'

const usage = 'usage: reelkeep setup-storage [--wait SECONDS]\n'
const WAIT_SECONDS_MAX = 3600

export const setupStorage = (args: readonly string[], io: CommandIo): Promise<void> =>
  printErrors({ name: 'setup-storage', usage, explain: explainSetupError }, io, async () => {
    const seconds = readWaitSeconds(args)
    const config = readStorageSetupConfig(io.env)
    const input = { origins: config.UPLOAD_ORIGINS, eventsUrl: eventsUrl(config) }
    await retryWhile(isStorageStarting, seconds, () =>
      setUpStorage(storageOptions(config), input, (line) => io.stdout.write(`${line}\n`)),
    )
  })

function readWaitSeconds(args: readonly string[]): number {
  const { values } = parseArgs({ args: [...args], options: { wait: { type: 'string', default: '0' } } })
  const seconds = Number(values.wait)
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > WAIT_SECONDS_MAX)
    throw new UsageError(`--wait must be a number of seconds from 0 to ${WAIT_SECONDS_MAX}.`)
  return seconds
}

function eventsUrl(config: StorageSetupConfig): string | undefined {
  const { STORAGE_EVENTS_URL: url, STORAGE_EVENTS_SECRET: secret } = config
  return url && secret && `${url}${storageNotificationsPath(secret)}`
}

if (import.meta.main) await setupStorage(process.argv.slice(2), process)
