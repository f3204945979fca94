import { readPlayerFiles } from '../capabilities/embedding/embedding.ts'
import { type Check, type CheckOutcome, ok, warning } from '../platform/doctor/checks.ts'
import { databaseChecks } from '../platform/doctor/database-checks.ts'
import {
  bucketChecks,
  storageChecks,
  storageClockCheck,
} from '../platform/doctor/storage-checks.ts'
import { workerChecks } from '../platform/doctor/worker-checks.ts'
import { BucketSettings } from '../platform/storage/bucket-settings.ts'
import type { Context } from './context.ts'
import { notificationExamination } from './notification-examination.ts'
import { storageOptions } from './storage-options.ts'

const WHO = 'service'

/** Checks of the API process: database, buckets and their settings, workers. */
export function apiExaminations({
  config,
  database,
}: Pick<Context, 'config' | 'database'>): Check[] {
  const settings = new BucketSettings(storageOptions(config))
  return [
    ...databaseChecks(WHO, database),
    ...storageChecks(WHO, settings),
    ...bucketChecks(WHO, settings),
    storageClockCheck(WHO, config.STORAGE_ENDPOINT),
    notificationExamination(
      WHO,
      settings,
      config.STORAGE_EVENTS_SECRET,
      config.STORAGE_FORMS === 'on',
    ),
    ...workerChecks(WHO, database),
    { name: `${WHO}-player`, run: async () => judgePlayer(config.PLAYER_FOLDER) },
  ]
}

const judgePlayer = (folder: string): CheckOutcome =>
  readPlayerFiles(folder).pageScript === undefined
    ? warning(
        'The player is not built, so the hosted page responds with 503.',
        'Run pnpm --filter @reelkeep/player build (after a --prod install: see “Starting” in docs/operations/running.md), set PLAYER_FOLDER if it is elsewhere, and restart the API.',
      )
    : ok('The player is built.')
