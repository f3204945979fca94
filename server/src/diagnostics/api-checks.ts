import { readPlayerFiles } from '../modules/embedding/embedding.ts'
import type { ApiConfig } from '../platform/config/env.ts'
import type { Database } from '../platform/db/database.ts'
import type { StorageOptions } from '../platform/storage/client.ts'
import { BucketSettings } from '../platform/storage/setup/bucket-settings.ts'
import { type Check, type CheckOutcome, ok, warning } from './checks.ts'
import { databaseChecks } from './database-checks.ts'
import { notificationCheck } from './notification-check.ts'
import { bucketChecks, storageChecks, storageClockCheck } from './storage-checks.ts'
import { workerChecks } from './worker-checks.ts'

const PREFIX = 'service'

/** Checks of the API process: database, buckets and their settings, workers. */
export function apiChecks({
  config,
  database,
  storage,
}: {
  readonly config: ApiConfig
  readonly database: Database
  readonly storage: StorageOptions
}): Check[] {
  const settings = new BucketSettings(storage)
  return [
    ...databaseChecks(PREFIX, database),
    ...storageChecks(PREFIX, settings),
    ...bucketChecks(PREFIX, settings),
    storageClockCheck(PREFIX, config.STORAGE_ENDPOINT),
    notificationCheck(PREFIX, settings, config),
    ...workerChecks(PREFIX, database),
    { name: `${PREFIX}-player`, run: async () => playerOutcome(config.PLAYER_FOLDER) },
  ]
}

const playerOutcome = (folder: string): CheckOutcome =>
  readPlayerFiles(folder).pageScript === undefined
    ? warning(
        'The player is not built, so the embed page responds with 503.',
        'Run pnpm --filter @reelkeep/player build (after a --prod install: see “Starting” in docs/operations/running.md), set PLAYER_FOLDER if it is elsewhere, and restart the API.',
      )
    : ok('The player is built.')
